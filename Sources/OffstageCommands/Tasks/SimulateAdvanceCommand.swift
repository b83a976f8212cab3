// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageClient
import OffstageProtocol

/// `offstage simulate advance DURATION` moves the daemon's clock ahead, from one due task to the next.
package struct SimulateAdvanceCommand: Command {
    package static let path = ["simulate", "advance"]
    package static let summary = "Move the daemon's clock ahead: see in seconds what a week brings."
    package static let synopsis = ["DURATION"]
    package static let discussion = """
        For developers. The clock moves from one due task to the next, and each task runs to its end before the clock moves
        on. The daemon's time stays ahead until it ends ('offstage daemon stop'); processes keep the machine's clock. This
        affects every app and transfer of the daemon, so your usual daemon refuses: set OFFSTAGE_HOME to an empty folder,
        for the app and for 'offstage', to use one with a home of its own.
        """
    package static let examples = [
        CommandExample("offstage simulate advance 7d", "a week's tasks, one after the other"),
        CommandExample("offstage simulate advance 2h30m", "everything due within that time"),
    ]

    private static let mostSeconds = 366.0 * 86_400

    let seconds: Double

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let words = arguments.takeOperands()
        guard words.count == 1, let seconds = Quantity.seconds(words[0]), seconds > 0, seconds <= Self.mostSeconds
        else { throw UsageError("name one duration of up to 366d: 90, 15m, 7d") }
        self.seconds = seconds
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let signals = context.catchSignals()
        defer { if signals >= 0 { close(signals) } }
        let connection: DaemonConnection
        do {
            connection = try context.connect(unless: Interruption(descriptor: signals))
        } catch let error as OffstageError where error.code == .interrupted {
            return .detached(bySignalOf: signals)
        }
        guard let reply = try advance(connection, signals) else {
            context.output.complain("The daemon's clock continues to its target.")
            return .detached
        }
        if context.printsJSON {
            context.output.print(
                try JSONText.of(Document(now: reply.now, clockAhead: reply.ahead, ended: reply.ended))
            )
        } else {
            let runs = reply.ended == 1 ? "1 task has run" : "\(reply.ended) tasks have run"
            context.output.print(
                "It is \(Format.fullTime(reply.now)) now, \(Format.duration(reply.ahead)) ahead of the machine's clock; \(runs)."
            )
        }
        return .success
    }

    /// Waits without a time limit, since tasks may run for any time. Nil after Ctrl-C.
    private func advance(_ connection: DaemonConnection, _ signals: Int32) throws -> AdvanceTime.Reply? {
        let number = try connection.post(AdvanceTime(seconds: seconds))
        while true {
            if let frame = connection.takeFrames().first(where: { $0.exchange == number }) {
                if frame.kind == .reply {
                    return try WireCoding.decodeFromDaemon(AdvanceTime.Reply.self, from: frame.payload)
                }
                throw OffstageError(try WireCoding.decodeFromDaemon(WireFailure.self, from: frame.payload))
            }
            var entries = [
                pollfd(fd: connection.fileDescriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&entries, 2, -1) > 0 else { continue }
            if entries[1].revents != 0 { return nil }
            try connection.receive()
        }
    }

    struct Document: Encodable {
        let now: Date
        let clockAhead: Double
        /// Tasks that ended meanwhile.
        let ended: Int
    }
}
