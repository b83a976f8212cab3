// SPDX-License-Identifier: Apache-2.0
import Foundation
import OffstageOS

// A program that logs and locks according to its argument.

let logger = Logger(subsystem: "com.example.log", category: "main")

func logEveryLevel() {
    logger.trace("a trace")
    logger.debug("a debug")
    logger.info("an info")
    logger.notice("a notice, \(4) of \("a secret")")
    logger.warning("a warning")
    logger.error("an error\nwith <0> lines")
    logger.critical("a critical")
    logger.fault("a fault")
    os_log("formatted %{public}@ %@ %d", log: .default, type: .info, "shown", "a secret", 4)
}

/// Logs to a journal, replaces the log's socket with a file, and logs again.
func logToJournal(_ path: String, file: String) {
    let center = LogCenter(
        settings: LogSettings(),
        journal: JournalSocket(path: path),
        standardError: StandardError()
    )
    let logger = Logger(OSLog(subsystem: "com.example.log", category: "journal", center: center))
    logger.error("one")
    let stranger = open(file, O_RDWR | O_CREAT, 0o600)
    for descriptor in 3..<stranger { dup2(stranger, descriptor) }
    logger.error("two")
}

switch CommandLine.arguments.dropFirst().first {
case "log": logEveryLevel()
case "journal": logToJournal(CommandLine.arguments[2], file: CommandLine.arguments[3])
case "flood":
    for number in 0..<20_000 { logger.error("line \(number) \(String(repeating: "x", count: 100), privacy: .public)") }
    print("done")
case "close-and-log":
    close(STDERR_FILENO)
    logger.error("into nothing")
    print("done")
case "lock-twice":
    let lock = OSAllocatedUnfairLock()
    lock.lock()
    lock.lock()
case "unlock-unlocked":
    var lock = os_unfair_lock()
    os_unfair_lock_unlock(&lock)
case "expect-unlocked":
    let lock = OSAllocatedUnfairLock()
    lock.precondition(.notOwner)
    lock.precondition(.owner)
default:
    print(
        "usage: LogApp log | journal SOCKET FILE | flood | close-and-log | lock-twice | unlock-unlocked | expect-unlocked"
    )
    exit(64)
}
