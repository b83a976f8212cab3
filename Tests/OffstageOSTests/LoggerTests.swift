// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageOS
import OffstageTestSupport
import Testing

/// The functions that apps call.
@Suite struct LoggerTests {
    @Test func `every method has its level`() throws {
        let file = try LogFile(LogSettings(threshold: .debug))
        let logger = Logger(file.log())
        logger.trace("1")
        logger.debug("2")
        logger.info("3")
        logger.notice("4")
        logger.log("5")
        logger.warning("6")
        logger.error("7")
        logger.critical("8")
        logger.fault("9")
        for type: OSLogType in [.debug, .info, .default, .error, .fault] { logger.log(level: type, "l") }
        let levels = file.messages.map { $0.split(separator: " ")[0] }
        #expect(
            levels == [
                "debug", "debug", "info", "notice", "notice", "warning", "error", "fault", "fault",
                "debug", "info", "notice", "error", "fault",
            ]
        )
    }

    @Test func `the message of an entry that is not kept is not made`() throws {
        let file = try LogFile()
        var made = 0
        func value() -> Int {
            made += 1
            return made
        }
        let logger = Logger(file.log())
        logger.debug("\(value())")
        logger.info("\(value())")
        os_log(.debug, log: file.log(), "\(value())")
        Logger(OSLog.disabled).fault("\(value())")
        OSSignposter(logHandle: file.log()).emitEvent("event", "\(value())")
        #expect(made == 0 && file.text.isEmpty)
        logger.error("\(value())")
        #expect(made == 1 && file.messages == ["error sub:cat: 1"])
    }

    @Test func `os_log takes its arguments in both orders, and values in its text`() throws {
        let file = try LogFile(LogSettings(threshold: .debug))
        let log = file.log()
        os_log("plain, 100%%", log: log)
        os_log("%{public}@ %d", log: log, type: .info, "shown", 4)
        os_log(.error, log: log, "%{public}@", "shown")
        os_log(.debug, log: log, "\(4) \("secret")")
        os_log(.fault, log: log, "plain, 100%%")
        #expect(
            file.messages == [
                "notice sub:cat: plain, 100%", "info sub:cat: shown 4", "error sub:cat: shown",
                "debug sub:cat: 4 <private>", "fault sub:cat: plain, 100%",
            ]
        )
    }

    @Test func `a log says what it keeps`() throws {
        let log = try LogFile().log()
        #expect(log.isEnabled(type: .default) && log.isEnabled(type: .error) && log.isEnabled(type: .fault))
        #expect(!log.isEnabled(type: .debug) && !log.isEnabled(type: .info) && !log.signpostsEnabled)
        #expect(!OSLog.disabled.isEnabled(type: .fault) && !OSLog.disabled.signpostsEnabled)
        #expect(OSLog(subsystem: "s", category: .pointsOfInterest).category == "PointsOfInterest")
    }

    @Test func `signposts are written when asked for, with how long intervals last`() throws {
        let file = try LogFile(LogSettings(keepsSignposts: true))
        let signposter = OSSignposter(logHandle: file.log())
        let state = signposter.beginInterval("Decode", id: OSSignpostID(7), "\(3) pages")
        signposter.emitEvent("Opened")
        signposter.endInterval("Decode", state)
        signposter.endInterval("Decode", state)
        #expect(signposter.withIntervalSignpost("Half") { 4 } == 4)
        os_signpost(.event, log: file.log(), name: "Older", signpostID: OSSignpostID(8), "%{public}@ %@", "a", "secret")
        os_signpost(.begin, log: file.log(), name: "Older", signpostID: .invalid)
        signposter.emitEvent("Nothing", id: .null)
        let messages = file.messages
        try #require(messages.count == 6)
        #expect(messages[0] == "debug sub:cat: signpost begin \"Decode\" 7: 3 pages")
        #expect(messages[1] == "debug sub:cat: signpost event \"Opened\"")
        #expect(
            messages[2].hasPrefix("debug sub:cat: signpost end \"Decode\" 7, after ") && messages[2].hasSuffix(" ms")
        )
        #expect(messages[3] == "debug sub:cat: signpost begin \"Half\"")
        #expect(messages[4].hasPrefix("debug sub:cat: signpost end \"Half\", after "))
        #expect(messages[5] == "debug sub:cat: signpost event \"Older\" 8: a <private>")
        let duration = SignpostText(.end, name: "n", id: .exclusive, duration: .microseconds(12_250)).text
        #expect(duration == "signpost end \"n\", after 12.250 ms")
    }

    @Test func `signposts without a log that keeps them do nothing`() throws {
        let file = try LogFile(LogSettings(threshold: .debug))
        let signposter = OSSignposter(logHandle: file.log())
        #expect(!signposter.isEnabled && !OSSignposter.disabled.isEnabled)
        signposter.endInterval("i", signposter.beginInterval("i"))
        signposter.endInterval("i", .beginState(id: .exclusive))
        #expect(file.text.isEmpty)
    }

    @Test func `numbers of signposts differ, and those of an object do not`() {
        let log = OSLog.disabled
        let signposter = OSSignposter.disabled
        #expect(
            OSSignpostID(log: log) != OSSignpostID(log: log) && signposter.makeSignpostID() != OSSignpostID(log: log)
        )
        #expect(OSSignpostID(log: log, object: log) == signposter.makeSignpostID(from: log))
        #expect(OSSignpostID(1) < OSSignpostID(2))
    }
}
