// SPDX-License-Identifier: Apache-2.0

/// `offstage fleet limit [HOST N]` shows or sets how many transfers the whole fleet has with a server at a time.
package struct FleetLimitCommand: FleetCommand {
    package static let path = ["fleet", "limit"]
    package static let summary = "Show or set how many transfers the whole fleet has with a server at a time."
    package static let synopsis = ["", "HOST COUNT", "HOST none"]
    package static let operands = OperandKind.words(["none"])
    package static let examples = [
        CommandExample("offstage fleet limit", "all limits, and what counts against them"),
        CommandExample("offstage fleet limit files.example 20", "at most 20 at a time, over all members"),
        CommandExample("offstage fleet limit files.example none", "no limit"),
    ]

    package enum Request: Sendable, Equatable {
        case show
        case set(host: String, most: Int?)
    }

    package let request: Request

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let words = arguments.takeOperands()
        switch words.count {
        case 0: request = .show
        case 2:
            let host: String
            do throws(CommandFailure) {
                host = try HostName.url("https://\(words[0])").host
            } catch {
                throw UsageError("'\(words[0])' is not the name of a server, such as files.example")
            }
            if words[1] == "none" {
                request = .set(host: host, most: nil)
            } else {
                guard let most = Quantity.count(words[1]), most <= 1_000_000 else {
                    throw UsageError("'\(words[1])' is not a number from 0, or none")
                }
                request = .set(host: host, most: most)
            }
        default: throw UsageError("give a server and a number, or nothing to see all limits")
        }
    }
}
