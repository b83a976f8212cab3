// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The options for a file's other addresses.
struct MirrorOptions: Sendable, Equatable {
    static let options: [CommandOption] = [
        CommandOption(
            "--mirror",
            value: "URL",
            help: "another address of the file: used if one fails, or at once with a checksum; repeatable"
        ),
        CommandOption(
            "--metalink",
            value: "FILE",
            kind: .file,
            help: "fetch the files that a Metalink (.meta4) describes, instead of URLs"
        ),
    ]

    /// The mirrors as given, in order.
    let mirrors: [String]
    /// The path of a document that names the files.
    let metalink: String?

    init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        mirrors = arguments.takeValues("--mirror")
        metalink = arguments.takeValue("--metalink")
        guard mirrors.count <= MirrorList.mostMirrors else {
            throw UsageError("a file may have up to \(MirrorList.mostMirrors) mirrors, not \(mirrors.count)")
        }
        guard mirrors.isEmpty || metalink == nil else {
            throw UsageError("a Metalink names its own mirrors: leave out --mirror or --metalink")
        }
        guard metalink?.contains("://") != true else {
            throw UsageError("--metalink takes a file: write --metalink <(curl -fsSL URL) for one on a server")
        }
    }

    /// The message if there is no URL. wget's `--mirror` takes none, and has another meaning.
    var missing: String {
        mirrors.isEmpty
            ? "name a URL"
            : "name a URL besides --mirror, which is another address of the same file: pages are not searched for links"
    }

    /// The given option, for messages; nil if there is none.
    var given: String? { metalink != nil ? "--metalink" : mirrors.isEmpty ? nil : "--mirror" }
}
