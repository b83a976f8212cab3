// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore

/// How a run of `offstage-fleet`, or of this program itself (`PageErrand`), ended.
package enum FleetRunEnd: Sendable, Equatable {
    /// It exited, with an exit status.
    case exited(Int32, output: [UInt8], errors: [UInt8])
    /// It was killed by a signal.
    case killed
    /// It did not answer in time, and was killed.
    case late
    /// Its answer exceeded the limit of a page, and it was killed.
    case tooLong
    /// It could not be started, for a reason given in a sentence.
    case absent(String)

    /// The answer for the page.
    package var reply: PageReply {
        switch self {
        case .exited(0, let output, _) where output.first == UInt8(ascii: "{"):
            PageReply(type: "application/json", body: .bytes(output))
        case .exited(0, _, _): Self.failure("offstage-fleet has answered nothing that can be read: update it.")
        case .exited(let status, _, let errors):
            Self.failure(
                Self.sentence(errors, of: "offstage") ?? "offstage-fleet has failed without saying why.",
                status: status == ExitStatus.notFound.code ? 404 : 503
            )
        case .killed: Self.failure("offstage-fleet was ended before it answered: try again.")
        case .late: Self.failure("The fleet's database has not answered in \(Int(PageBounds.fleetPatience)) s.")
        case .tooLong: Self.failure("The fleet's answer is longer than this page takes: use 'offstage fleet'.")
        case .absent(let sentence): Self.failure(sentence)
        }
    }

    /// A program's error message, without its name.
    static func sentence(_ said: [UInt8], of name: String) -> String? {
        let prefix = name + ": "
        let lines = String(decoding: said, as: UTF8.self).split(separator: "\n").map { line in
            (line.hasPrefix(prefix) ? line.dropFirst(prefix.count) : line).description.redactedControls
        }
        return lines.isEmpty ? nil : lines.joined(separator: " ")
    }

    static func failure(_ sentence: String, status: UInt32 = 503) -> PageReply {
        PageReply.document(FailureDocument(error: sentence.redactedControls), status: status)
    }
}
