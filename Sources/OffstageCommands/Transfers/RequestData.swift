// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The body given as text on the command line, as with curl's `--data` and `--json`.
package struct RequestData {
    static let options: [CommandOption] = [
        CommandOption(
            "--data",
            "-d",
            "--data-ascii",
            value: "TEXT",
            help: "a POST with this body, or that of @FILE without line breaks and NUL; repeatable"
        ),
        CommandOption("--data-raw", value: "TEXT", help: "the same, with a literal @"),
        CommandOption("--data-binary", value: "TEXT", help: "the same, with @FILE unchanged"),
        CommandOption("--data-urlencode", value: "NAME=TEXT", help: "the same, with TEXT percent-encoded"),
        CommandOption("--json-data", value: "TEXT", help: "a POST with JSON, as curl's --json; @FILE unchanged"),
    ]

    /// In the order given, each with its option.
    private let parts: [(name: String, value: String)]

    init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let names = ["--data", "--data-raw", "--data-urlencode", "--data-binary", "--json-data"]
        parts = try arguments.takeValues(ofAny: names).map { part throws(UsageError) in
            part.name == "--data-urlencode" ? ("--data-raw", try URLEncodedText.of(part.value)) : part
        }
    }

    package var isEmpty: Bool { parts.isEmpty }
    var readsStandardInput: Bool { parts.contains { $0.name != "--data-raw" && $0.value == "@-" } }
    private var isJSON: Bool { parts.contains { $0.name == "--json-data" } }
    private static let longestFile = 64 << 20

    /// The headers that describe the body, unless they are given.
    package var headers: [HeaderField] {
        isJSON
            ? [
                HeaderField(name: "Content-Type", value: "application/json"),
                HeaderField(name: "Accept", value: "application/json"),
            ] : [HeaderField(name: "Content-Type", value: "application/x-www-form-urlencoded")]
    }

    /// The body: fields joined by `&`, JSON concatenated unchanged.
    ///
    /// - Throws: `CommandFailure` for a file that cannot be read.
    package func bytes(_ context: CommandContext) throws(CommandFailure) -> [UInt8] {
        var body: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if index > 0, !isJSON { body.append(UInt8(ascii: "&")) }
            guard part.value.hasPrefix("@"), part.name != "--data-raw" else {
                body += part.value.utf8
                continue
            }
            let path = try context.absolute(String(part.value.dropFirst()))
            let content = try FileBytes.read(path, limit: Self.longestFile, mayWait: true)
            body += part.name == "--data" ? content.filter { $0 != 10 && $0 != 13 && $0 != 0 } : content
        }
        return body
    }
}
