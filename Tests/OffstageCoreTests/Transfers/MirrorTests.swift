// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// When another address takes over, and which part of the file is kept.
@Suite struct `A download from several addresses` {
    // MARK: When

    @Test(arguments: TransferFailure.Code.allCases) func `each failure`(code: TransferFailure.Code) throws {
        var transfer = try MirrorStage.running()
        let failure = TransferFailure(code, "it failed")
        let actions = MirrorStage.fail(&transfer, failure)
        let isOurs: Set<TransferFailure.Code> = [
            .accountUnusable, .accessKeyRefused, .keyCommandFailed, .destinationConflict, .destinationRefused,
            .quotaExceeded,
            .contentMismatch, .commitUncertain, .sourceMissing, .sourceUnreadable, .sourceIsDirectory, .sourceChanged,
            .targetExists, .targetDirectoryMissing, .targetNotWritable, .diskFull, .certificateFileUnreadable,
            .overallTimeout, .daemonInterrupted, .internalError, .requestTooLarge,
        ]
        let isAway: Set<TransferFailure.Code> = [.cannotFindHost, .cannotConnect, .proxyFailed]
        if isOurs.contains(code) {
            #expect(MirrorStage.at(transfer) == "a" && transfer.spec.mirrors?.isUntried == true)
        } else if failure.retryClass == .permanent || isAway.contains(code) {
            #expect(MirrorStage.at(transfer) == "b" && actions == [.enqueue])
            #expect(transfer.state == .queued(since: MirrorStage.now.wall))
            let trouble = transfer.spec.mirrors?.addresses[0].trouble
            #expect(trouble?.failure == failure && trouble?.isForGood == (failure.retryClass == .permanent))
        } else {
            #expect(MirrorStage.at(transfer) == "a", "it is tried again there first")
            for _ in 0..<2 {
                MirrorStage.begin(&transfer)
                MirrorStage.fail(&transfer, failure)
            }
            #expect(MirrorStage.at(transfer) == "b")
            #expect(transfer.spec.mirrors?.addresses[0].trouble?.isForGood == false)
        }
    }

    @Test(arguments: [301, 400, 401, 403, 404, 410, 451]) func `a status that stays`(status: Int) throws {
        var transfer = try MirrorStage.running()
        #expect(MirrorStage.answer(&transfer, status) == [.enqueue])
        #expect(MirrorStage.at(transfer) == "b")
        MirrorStage.begin(&transfer)
        #expect(MirrorStage.answer(&transfer, 200, reached: 100) == [.save])
        #expect(transfer.saved(nil, bytes: 100, now: MirrorStage.now).count == 1 && transfer.outcome?.isSuccess == true)
    }

    @Test func `all gone is one failure, with what each one said`() throws {
        var transfer = try MirrorStage.running()
        for status in [404, 403, 404] {
            if transfer.state.kind != .running { MirrorStage.begin(&transfer) }
            _ = MirrorStage.answer(&transfer, status)
        }
        guard case .failed(let failure, let answer)? = transfer.outcome else {
            Issue.record("\(transfer.state)")
            return
        }
        #expect(
            failure.detail
                == "none of the 3 addresses gave the file: https://a.example/file (the server answered 404 Not Found), https://b.example/file (the server answered 403 Forbidden), https://c.example/file (the server answered 404 Not Found)"
        )
        #expect(failure.code == .httpStatus && failure.status == nil && answer?.status == 404)
    }

    @Test func `an address that is left for now has its turn again, later and later`() throws {
        var transfer = try MirrorStage.running(2)
        var waits: [Double] = []
        for round in 0..<6 {
            #expect(MirrorStage.at(transfer) == ["a", "b"][round % 2])
            let actions = MirrorStage.fail(&transfer, .init(.cannotConnect, "it is down"))
            if case .wake(let deadline)? = actions.first { waits.append(deadline.delay) }
            MirrorStage.begin(&transfer)
        }
        #expect(waits == [8, 16, 32])
    }

    @Test func `the last one that is left is used as if it were alone`() throws {
        var transfer = try MirrorStage.running(2)
        _ = MirrorStage.answer(&transfer, 404)
        for attempt in 1...20 {
            MirrorStage.begin(&transfer)
            MirrorStage.fail(&transfer, .init(.connectionLost, "it broke"))
            #expect(MirrorStage.at(transfer) == "b")
            guard case .waiting(let wait) = transfer.state, case .retry(_, let deadline) = wait.cause else {
                Issue.record("\(transfer.state)")
                return
            }
            #expect(deadline.delay == min(300, 8 * Double(1 << min(attempt - 1, 10))))
        }
    }

    @Test func `servers that send nonsense do not take turns for ever`() throws {
        var transfer = try MirrorStage.running(3)
        var attempts = 0
        while !transfer.isFinished, attempts < 100 {
            if transfer.state.kind != .running { MirrorStage.begin(&transfer) }
            MirrorStage.fail(&transfer, .init(.serverMisbehaves, "nonsense"))
            attempts += 1
        }
        #expect(transfer.outcome?.isSuccess == false && attempts <= 20, "\(attempts)")
    }

    @Test func `retries count for each address`() throws {
        var transfer = try MirrorStage.running(2) { $0.maximumRetries = 1 }
        var path = ""
        while !transfer.isFinished, path.count < 20 {
            if transfer.state.kind != .running { MirrorStage.begin(&transfer) }
            path += MirrorStage.at(transfer)
            MirrorStage.fail(&transfer, .init(.connectionLost, "it broke"))
        }
        #expect(path == "aabb")
    }

    @Test func `a server's wish to be left alone is respected, and another one asked at once`() throws {
        var transfer = try MirrorStage.running(2)
        MirrorStage.fail(&transfer, .init(.serverBusy, "busy", retryAfter: 500))
        #expect(MirrorStage.at(transfer) == "b" && transfer.state.kind == .queued)
        // Meanwhile the other one is tried again, as if it were alone.
        MirrorStage.begin(&transfer)
        let later = Fixture.moment(110)
        let down = MirrorStage.fail(&transfer, .init(.cannotConnect, "down"), at: later)
        #expect(MirrorStage.at(transfer) == "b" && down == [.wake(Deadline(setAt: later, delay: 8))])
        // Then the first address has its turn again.
        MirrorStage.begin(&transfer)
        let over = Fixture.moment(600)
        let back = MirrorStage.fail(&transfer, .init(.cannotConnect, "down"), at: over)
        #expect(MirrorStage.at(transfer) == "a" && back == [.wake(Deadline(setAt: over, delay: 8))])
        // A short wait is no reason to leave.
        var patient = try MirrorStage.running(2)
        MirrorStage.fail(&patient, .init(.serverBusy, "busy", retryAfter: 5))
        #expect(MirrorStage.at(patient) == "a")
    }

    /// A download whose first two addresses asked to be left alone for so many seconds; the third is in use.
    private static func resting(_ first: Double, _ second: Double) throws -> Transfer {
        var transfer = try MirrorStage.running()
        MirrorStage.fail(&transfer, .init(.serverBusy, "a is busy", retryAfter: first))
        MirrorStage.begin(&transfer)
        MirrorStage.fail(&transfer, .init(.serverBusy, "b is busy", retryAfter: second))
        MirrorStage.begin(&transfer)
        return transfer
    }

    private func cause(_ transfer: Transfer) -> String? {
        guard case .waiting(let wait) = transfer.state, case .retry(let failure, _) = wait.cause else { return nil }
        return failure.detail
    }

    @Test func `one that need not wait is used before those that must`() throws {
        var transfer = try Self.resting(500, 60)
        #expect(MirrorStage.at(transfer) == "c")
        // The first address must still be left alone; the second one need not.
        let later = Fixture.moment(100)
        let actions = MirrorStage.fail(&transfer, .init(.cannotConnect, "c is down"), at: later)
        #expect(MirrorStage.at(transfer) == "b" && actions == [.wake(Deadline(setAt: later, delay: 8))])
        #expect(cause(transfer) == "c is down")
    }

    @Test func `if all must wait, the one that need not wait long is used`() throws {
        var transfer = try Self.resting(500, 60)
        for delay in [8.0, 16, 32] {
            let actions = MirrorStage.fail(&transfer, .init(.cannotConnect, "c is down"))
            let wake = TransferAction.wake(Deadline(setAt: MirrorStage.now, delay: delay))
            #expect(MirrorStage.at(transfer) == "c" && actions == [wake])
            #expect(cause(transfer) == "c is down")
            MirrorStage.begin(&transfer)
        }
        // Its own next wait would be 64 seconds.
        let actions = MirrorStage.fail(&transfer, .init(.cannotConnect, "c is down"))
        #expect(MirrorStage.at(transfer) == "b" && actions == [.wake(Deadline(setAt: MirrorStage.now, delay: 60))])
        #expect(cause(transfer) == "b is busy")
    }

    @Test func `if all others must wait and one is gone, the one that is ready first is waited for`() throws {
        var transfer = try Self.resting(500, 60)
        let actions = MirrorStage.answer(&transfer, 404)
        #expect(MirrorStage.at(transfer) == "b" && actions == [.wake(Deadline(setAt: MirrorStage.now, delay: 60))])
        #expect(cause(transfer) == "b is busy")
    }

    @Test func `nonsense is remembered over turns that end otherwise`() throws {
        var transfer = try MirrorStage.running(2)
        // One turn of each: three failures in a row that got no further.
        let turns: [TransferFailure.Code] = [
            .serverMisbehaves, .connectionLost, .connectionLost, .connectionLost, .serverMisbehaves,
        ]
        for (index, code) in turns.enumerated() {
            #expect(MirrorStage.at(transfer) == ["a", "b"][index % 2])
            for _ in 0..<3 {
                if transfer.state.kind != .running { MirrorStage.begin(&transfer) }
                MirrorStage.fail(&transfer, .init(code, "it failed"))
            }
            let trouble = transfer.spec.mirrors?.addresses[index % 2].trouble
            #expect(trouble?.isForGood == (index == 4), "\(index)")
        }
    }

    @Test func `trouble without what is remembered is read`() throws {
        let text =
            #"{"addresses":[{"url":"https://a.example/","retries":0,"trouble":{"failure":"#
            + #"{"code":"connectionLost","detail":"it broke"},"isForGood":true}}]}"#
        let list = try JSONDecoder().decode(MirrorList.self, from: Data(text.utf8))
        #expect(list.addresses[0].trouble?.isForGood == true)
    }

    @Test func `one address is no list to go through`() throws {
        var transfer = try MirrorStage.running(1)
        _ = MirrorStage.answer(&transfer, 404)
        guard case .failed(let failure, _)? = transfer.outcome else {
            Issue.record("\(transfer.state)")
            return
        }
        #expect(failure.detail == "the server answered 404 Not Found" && failure.status == 404)
    }

    // MARK: What goes along

    @Test func `without a checksum another address begins at byte 0`() throws {
        var transfer = try MirrorStage.running()
        MirrorStage.receive(&transfer, "\"x\"")
        for _ in 0..<3 {
            if transfer.state.kind != .running { MirrorStage.begin(&transfer, offset: 40) }
            MirrorStage.fail(&transfer, .init(.connectionLost, "it broke"), reached: 40)
        }
        // The first failure got further than any before; three more in a row do not.
        if MirrorStage.at(transfer) == "a" {
            MirrorStage.begin(&transfer, offset: 40)
            MirrorStage.fail(&transfer, .init(.connectionLost, "it broke"), reached: 40)
        }
        #expect(MirrorStage.at(transfer) == "b" && transfer.partial == nil && transfer.bytesDone == 0)
        #expect(transfer.bytesTotal == nil && !transfer.past.hasBeenAnswered)
        // The file must be as long as the previous one: which of the two would be right is unknown.
        #expect(transfer.spec.expectedBytes == 100)
    }

    @Test func `with a checksum it goes on, without the other's validator`() throws {
        var transfer = try MirrorStage.running(checksum: MirrorStage.checksum)
        MirrorStage.receive(&transfer, "\"x\"")
        MirrorStage.fail(&transfer, .init(.certificateRejected, "expired"), reached: 40)
        #expect(MirrorStage.at(transfer) == "b" && transfer.bytesDone == 40 && transfer.spec.expectedBytes == nil)
        let partial = try #require(transfer.partial)
        #expect(partial.validator == nil && partial.isAdopted == true && partial.totalBytes == 100)
        #expect(partial.resumeOffset(fileSize: 40, bootID: "boot-1") == 40)
        // In another boot, only synced bytes count.
        #expect(partial.resumeOffset(fileSize: 40, bootID: "boot-2") == 0)
        MirrorStage.begin(&transfer, offset: 40)
        MirrorStage.receive(&transfer, "\"y\"")
        #expect(transfer.partial?.isMixed == true && transfer.partial?.isAdopted == nil)
        #expect(transfer.partial?.validator == .strongETag("\"y\""))
    }

    @Test func `a server without a validator continues what it has continued`() throws {
        var transfer = try MirrorStage.running(checksum: MirrorStage.checksum)
        MirrorStage.receive(&transfer, "\"x\"")
        MirrorStage.fail(&transfer, .init(.certificateRejected, "expired"), reached: 40)
        MirrorStage.begin(&transfer, offset: 40)
        transfer.receiving(attempt: transfer.attempts, validator: nil, total: 100, bootID: "boot-1")
        #expect(transfer.partial?.isAdopted == true && transfer.partial?.isMixed == true)
        MirrorStage.fail(&transfer, .init(.connectionLost, "it broke"), reached: 70)
        #expect(MirrorStage.at(transfer) == "b" && transfer.bytesDone == 70)
        #expect(transfer.partial?.resumeOffset(fileSize: 70, bootID: "boot-1") == 70)
        // With a validator, requests are conditional from now on; one that begins at byte 0 has only its own bytes.
        var other = transfer
        MirrorStage.begin(&other, offset: 70)
        MirrorStage.receive(&other, "\"y\"")
        #expect(other.partial?.isAdopted == nil && other.partial?.isMixed == true)
        MirrorStage.begin(&transfer)
        transfer.receiving(attempt: transfer.attempts, validator: nil, total: 100, bootID: "boot-1")
        #expect(transfer.partial?.isAdopted == nil && transfer.partial?.isContinuable == false)
    }

    @Test func `a mirror that has another file takes nothing of what has arrived along`() throws {
        var transfer = try MirrorStage.running(checksum: MirrorStage.checksum)
        MirrorStage.receive(&transfer, "\"x\"")
        MirrorStage.fail(&transfer, .init(.certificateRejected, "expired"), reached: 40)
        MirrorStage.begin(&transfer, offset: 40)
        MirrorStage.fail(&transfer, .init(.checksumMismatch, "it has a file of 99 bytes"), reached: 40)
        #expect(MirrorStage.at(transfer) == "c" && transfer.bytesDone == 40 && transfer.partial?.isAdopted == true)
        #expect(transfer.spec.mirrors?.addresses[1].trouble?.isForGood == true)
        // The bytes that the mirror sent itself are part of the other file.
        var own = try MirrorStage.running(checksum: MirrorStage.checksum)
        MirrorStage.receive(&own, "\"x\"")
        MirrorStage.fail(&own, .init(.checksumMismatch, "it has a file of 99 bytes"), reached: 40)
        #expect(MirrorStage.at(own) == "b" && own.bytesDone == 0 && own.partial == nil)
    }

    @Test func `a mixed file that is a wrong one is fetched again from one address, and that one is believed`() throws {
        var transfer = try MirrorStage.running(2, checksum: MirrorStage.checksum)
        MirrorStage.receive(&transfer, "\"x\"")
        MirrorStage.fail(&transfer, .init(.certificateRejected, "expired"), reached: 40)
        MirrorStage.begin(&transfer, offset: 40)
        MirrorStage.receive(&transfer, "\"y\"")
        #expect(MirrorStage.answer(&transfer, 200, reached: 100) == [.save])
        let mismatch = TransferFailure(.checksumMismatch, "it differs")
        #expect(transfer.saved(mismatch, bytes: nil, now: MirrorStage.now) == [.enqueue])
        #expect(MirrorStage.at(transfer) == "b" && transfer.partial == nil && transfer.bytesDone == 0)
        // Now it is clear which address lies.
        MirrorStage.begin(&transfer)
        MirrorStage.receive(&transfer, "\"y\"")
        _ = MirrorStage.answer(&transfer, 200, reached: 100)
        let actions = transfer.saved(mismatch, bytes: nil, now: MirrorStage.now)
        #expect(transfer.outcome?.isSuccess == false && actions.contains(.deletePartialFile))
        let trouble = transfer.spec.mirrors?.addresses.map { $0.trouble?.failure.code }
        #expect(trouble == [.certificateRejected, .checksumMismatch])
    }

    @Test func `a liar is left for good, and the next one begins at byte 0`() throws {
        var transfer = try MirrorStage.running(checksum: MirrorStage.checksum)
        MirrorStage.receive(&transfer, "\"x\"")
        #expect(MirrorStage.answer(&transfer, 200, reached: 100) == [.save])
        #expect(transfer.saved(.init(.checksumMismatch, "it differs"), bytes: nil, now: MirrorStage.now) == [.enqueue])
        #expect(MirrorStage.at(transfer) == "b" && transfer.partial == nil && transfer.bytesDone == 0)
        #expect(transfer.spec.mirrors?.addresses[0].trouble?.isForGood == true)
        #expect(transfer.spec.mirrors?.standing()?.contains("https://a.example/file (it differs)") == true)
        // A problem of this machine is not a lie.
        MirrorStage.begin(&transfer)
        _ = MirrorStage.answer(&transfer, 200, reached: 100)
        _ = transfer.saved(.init(.diskFull, "no room"), bytes: nil, now: MirrorStage.now)
        #expect(MirrorStage.at(transfer) == "b" && transfer.isFinished)
    }

    // MARK: Answers

    @Test(arguments: [
        ("bytes 40-99/100", nil as String?, true), ("bytes 40-99/*", nil, false), ("bytes 40-98/99", nil, false),
        ("bytes 40-99/100", "gzip", false),
    ])
    func `the rest of another server's file is taken only if the lengths agree`(
        range: String,
        coding: String?,
        isTaken: Bool
    ) throws {
        var transfer = try MirrorStage.running(checksum: MirrorStage.checksum)
        MirrorStage.receive(&transfer, "\"x\"")
        MirrorStage.fail(&transfer, .init(.certificateRejected, "expired"), reached: 40)
        var headers = [HeaderField(name: "Content-Range", value: range), HeaderField(name: "ETag", value: "\"y\"")]
        if let coding { headers.append(HeaderField(name: "Content-Encoding", value: coding)) }
        let decision = RangeDecision.decide(
            ResponseHead(status: 206, headers: headers),
            offset: 40,
            partial: transfer.partial,
            keepsErrorBodies: false
        )
        #expect(decision == (isTaken ? .write(from: 40, total: 100) : .beginAgain(serverIgnoresRanges: false)))
        let whole = RangeDecision.decide(
            ResponseHead(status: 200, headers: []),
            offset: 40,
            partial: transfer.partial,
            keepsErrorBodies: false
        )
        #expect(whole == .beginAgain(serverIgnoresRanges: false))
    }

    static let lengths: [(Int, [String: String], Int64?)] = [
        (206, ["Content-Range": "bytes 40-98/99"], 99), (206, ["Content-Range": "bytes 40-98/*"], nil),
        (206, ["Content-Range": "bytes 40-98/99", "Content-Encoding": "gzip"], nil),
        (416, ["Content-Range": "bytes */99"], 99), (416, ["Content-Range": "Bytes */0"], 0), (416, [:], nil),
        (416, ["Content-Range": "bytes */"], nil), (416, ["Content-Range": "bytes */-1"], nil),
        (416, ["Content-Range": "bytes */99999999999999999999"], nil), (416, ["Content-Range": "bytes 0-1/9"], nil),
        (200, ["Content-Length": "99"], 99), (200, ["Content-Length": "99", "Content-Encoding": "gzip"], nil),
        (200, ["Transfer-Encoding": "chunked", "Content-Length": "99"], nil), (200, ["Content-Length": "-1"], nil),
        (404, ["Content-Length": "99"], nil), (503, ["Content-Range": "bytes */99"], nil),
    ]

    @Test(arguments: lengths)
    func `how long the whole file is, if an answer says so`(status: Int, fields: [String: String], length: Int64?) {
        let head = ResponseHead(status: status, headers: fields.map { HeaderField(name: $0.key, value: $0.value) })
        #expect(head.completeLength == length)
    }

    static let ends: [([String: String], Bool)] = [
        ([:], false), (["Content-Length": "5"], true), (["Content-Length": "x"], false),
        (["Transfer-Encoding": "chunked"], true), (["Transfer-Encoding": "identity"], false),
    ]

    @Test(arguments: ends)
    func `whether the end of a body is marked`(fields: [String: String], isMarked: Bool) {
        let head = ResponseHead(status: 200, headers: fields.map { HeaderField(name: $0.key, value: $0.value) })
        for version in ["1.0", "1.1"] { #expect(head.marksEnd(over: version) == isMarked) }
        // A stream that was reset without an error looks as if it had ended.
        let isLong = if case .bytes = head.statedLength { true } else { false }
        for version in ["2", "3"] { #expect(head.marksEnd(over: version) == isLong) }
    }

    // MARK: Secrets, and what a client may say

    @Test func `what was meant for the first server stays away from the others`() throws {
        var transfer = try MirrorStage.running(2) {
            $0.headers = [
                HeaderField(name: "Authorization", value: "Bearer abc"), HeaderField(name: "Accept", value: "*/*"),
                HeaderField(name: "Cookie", value: "a=b"),
            ]
            $0.credentials = .init(user: "ann", password: "secret")
            $0.pinnedKey = "sha256//" + String(repeating: "A", count: 43) + "="
        }
        #expect(transfer.spec.asSent == transfer.spec)
        _ = MirrorStage.answer(&transfer, 404)
        let sent = transfer.spec.asSent
        #expect(sent.headers.map(\.name) == ["Accept"] && sent.credentials == nil && sent.pinnedKey == nil)
        // They are back when the first address has its turn again.
        #expect(transfer.spec.headers.count == 3 && transfer.spec.credentials != nil)
        var sameServer = try MirrorStage.running(1) { $0.credentials = .init(user: "ann", password: "secret") }
        sameServer.spec.mirrors = MirrorList([sameServer.spec.url, try RequestURL("https://a.example/other")])
        _ = MirrorStage.answer(&sameServer, 404)
        #expect(sameServer.spec.url.unredacted == "https://a.example/other")
        #expect(sameServer.spec.asSent.credentials != nil)
    }

    @Test func `a specification that cannot have mirrors is refused`() throws {
        let urls = try MirrorStage.urls(2)
        func refused(_ change: (inout TransferSpec) throws -> Void) throws -> Bool {
            var spec = try Fixture.download()
            spec.statusPolicy = .retryTransientAndFailOnError
            (spec.url, spec.mirrors) = (urls[0], MirrorList(urls))
            try change(&spec)
            do throws(RequestError) { try spec.validate() } catch { return true }
            return false
        }
        #expect(try !refused { _ in })
        #expect(try refused { $0.method = "POST" })
        #expect(try refused { $0.headers = [HeaderField(name: "Range", value: "bytes=0-1")] })
        #expect(try refused { $0.statusPolicy = .everyResponseIsFinal })
        #expect(try refused { $0.unauthorizedPolicy = .waitForCredentials })
        #expect(try refused { $0.url = try RequestURL("https://other.example/") })
        #expect(try refused { $0.mirrors = MirrorList(urls + urls) })
        #expect(try refused { $0.sessionTask = SessionTaskKey(session: "s", task: 1) })
        let many = try (0...MirrorList.mostMirrors + 1).map { try RequestURL("https://\($0).example/") }
        #expect(try refused { ($0.url, $0.mirrors) = (many[0], MirrorList(many)) })
        #expect(try !refused { ($0.url, $0.mirrors) = (many[0], MirrorList(Array(many.dropLast()))) })
    }

    @Test func `the list survives the store as it is`() throws {
        var transfer = try MirrorStage.running(4, checksum: MirrorStage.checksum)
        MirrorStage.receive(&transfer, "\"x\"")
        MirrorStage.fail(&transfer, .init(.serverBusy, "busy", retryAfter: 90))
        MirrorStage.begin(&transfer)
        MirrorStage.receive(&transfer, "\"y\"")
        MirrorStage.fail(&transfer, .init(.certificateRejected, "expired"), reached: 40)
        let spec = try JSONDecoder().decode(TransferSpec.self, from: Data(try transfer.spec.json()))
        #expect(spec == transfer.spec && spec.mirrors != nil)
        let record = try JSONEncoder().encode(TransferRecord(transfer))
        let read = try JSONDecoder().decode(
            TransferRecord.self,
            from: record,
            configuration: .init(id: transfer.id, spec: spec)
        )
        #expect(read.transfer == transfer)
    }

    @Test(arguments: [
        #"{"addresses":[]}"#, #"{"addresses":[{"url":"https://a.example/","retries":0}],"current":1}"#,
        #"{"addresses":[{"url":"https://a.example/","retries":0}],"current":-1}"#,
        #"{"addresses":[{"url":"https://a.example/","retries":0}],"size":-5}"#,
        #"{"addresses":[{"url":"https://a.example/","retries":-5}]}"#,
        #"{"addresses":[{"url":"file:///etc/passwd","retries":0}]}"#,
    ])
    func `a list that would be out of its bounds is not read`(text: String) {
        #expect(throws: (any Error).self) { try JSONDecoder().decode(MirrorList.self, from: Data(text.utf8)) }
    }

    // MARK: People

    @Test func `retry begins with the first address again, or goes on where something is kept`() throws {
        var transfer = try MirrorStage.running(2)
        _ = MirrorStage.answer(&transfer, 404)
        MirrorStage.begin(&transfer)
        _ = MirrorStage.answer(&transfer, 404)
        #expect(transfer.retry(now: MirrorStage.now) != nil)
        #expect(MirrorStage.at(transfer) == "a" && transfer.spec.mirrors?.isUntried == true)
        MirrorStage.begin(&transfer)
        _ = MirrorStage.answer(&transfer, 404)
        MirrorStage.begin(&transfer)
        MirrorStage.receive(&transfer, "\"y\"")
        MirrorStage.fail(&transfer, .init(.diskFull, "no room"), reached: 40)
        #expect(transfer.isFinished && transfer.retry(now: MirrorStage.now) != nil)
        #expect(MirrorStage.at(transfer) == "b" && transfer.bytesDone == 40)
        #expect(transfer.spec.mirrors?.addresses.allSatisfy { $0.trouble == nil } == true)
    }

    @Test func `another URL is refused`() throws {
        var transfer = try MirrorStage.running(2)
        transfer.state = .paused(since: MirrorStage.now.wall, timeLeft: 5)
        var edit = TransferEdit()
        edit.url = try RequestURL("https://z.example/")
        #expect(edit.refusal(by: transfer)?.contains("has 2 addresses") == true)
    }
}
