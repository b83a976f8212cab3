// SPDX-License-Identifier: Apache-2.0

/// A lengthy operation that this program runs in a separate process, as requests would otherwise have to wait.
package enum PageErrand: String, Sendable, Equatable, CaseIterable {
    /// The findings of `offstage doctor`.
    case findings
    /// Starts a daemon, at the user's request.
    case start

    /// The option with which such a process is started.
    package static let option = "--errand"

    /// The most seconds that the errand may take.
    package var patience: Double {
        switch self {
        case .findings: 30
        case .start: 35
        }
    }

    /// The arguments after the program's name.
    ///
    /// - Parameter startsDaemon: whether this program may start a daemon.
    /// - Returns: the arguments.
    package func words(startsDaemon: Bool) -> [String] {
        [Self.option, rawValue] + (startsDaemon ? [] : ["--no-start"])
    }

    /// The answer for the page.
    ///
    /// - Parameter end: how the process ended.
    /// - Returns: the answer.
    package func reply(to end: FleetRunEnd) -> PageReply {
        switch end {
        case .exited(0, let output, _) where output.first == UInt8(ascii: "{"):
            PageReply(type: "application/json", body: .bytes(output))
        case .exited(_, _, let errors):
            FleetRunEnd.failure(
                FleetRunEnd.sentence(errors, of: "offstage-page") ?? "\(subject) has failed without saying why."
            )
        case .killed: FleetRunEnd.failure("\(subject) was ended before it was done: try again.")
        case .late:
            FleetRunEnd.failure("\(subject) has taken longer than \(Int(patience)) s: see 'offstage doctor'.")
        case .tooLong: FleetRunEnd.failure("\(subject) says more than this page takes: use 'offstage doctor'.")
        case .absent(let sentence): FleetRunEnd.failure(sentence)
        }
    }

    private var subject: String {
        switch self {
        case .findings: "The check of this machine"
        case .start: "The start of the daemon"
        }
    }
}
