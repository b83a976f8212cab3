// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The options of an upload that a fleet carries out.
package struct FleetUploadOptions: Sendable {
    package static let options = [
        CommandOption("--fleet", help: "a member of the fleet sends it, and not this machine"),
        CommandOption("--on", value: "LABEL", help: "with --fleet: a member with this label; repeatable"),
        CommandOption("--queue", value: "NAME", help: "with --fleet: in this queue (default)"),
        CommandOption("--once", value: "NAME", help: "with --fleet: no file twice to one place under this NAME"),
    ]

    package let labels: FleetLabels
    package let queue: String
    /// The name under which each file and destination is submitted only once; nil if it may be submitted again.
    package let once: String?

    /// The most bytes of the name.
    package static let longestName = 100

    /// Returns nil without `--fleet`.
    package init?(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let isWanted = arguments.takeFlag("--fleet")
        let given = ["--on", "--queue", "--once"].first { arguments.takesAny(of: $0) }
        labels = try FleetLabelArguments.parse(&arguments)
        queue = arguments.takeValue("--queue") ?? "default"
        once = arguments.takeValue("--once")
        if let given, !isWanted { throw UsageError("\(given) is for an upload with --fleet") }
        guard isWanted else { return nil }
        guard FleetText.isName(queue) else { throw UsageError("'\(queue)' cannot be the name of a queue") }
        guard once.map({ (1...Self.longestName).contains($0.utf8.count) }) ?? true else {
            throw UsageError("--once takes a name of 1 to \(Self.longestName) bytes")
        }
    }
}
