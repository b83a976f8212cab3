// SPDX-License-Identifier: Apache-2.0

/// What this program does in a process of its own, as it may last: nobody would be served meanwhile.
package enum PageErrand: String, Sendable, Equatable, CaseIterable {
    /// What `offstage doctor` finds.
    case findings
    /// Starts a daemon, since a person has asked for that.
    case start

    /// The option that such a process is started with.
    package static let option = "--errand"

    /// Seconds that it may take.
    package var patience: Double {
        switch self {
        case .findings: 30
        case .start: 35
        }
    }

    /// The words after the program's name.
    ///
    /// - Parameter startsDaemon: whether this program may start a daemon.
    /// - Returns: the words.
    package func words(startsDaemon: Bool) -> [String] {
        [Self.option, rawValue] + (startsDaemon ? [] : ["--no-start"])
    }

    /// What the page is told.
    ///
    /// - Parameter end: what the process has come to.
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
