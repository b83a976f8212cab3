// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The encoding of `--data-urlencode`: `TEXT`, `=TEXT` and `NAME=TEXT` with the text percent-encoded.
enum URLEncodedText {
    /// - Throws: `UsageError` for a value that curl would read from a file.
    static func of(_ value: String) throws(UsageError) -> String {
        let equals = value.firstIndex(of: "=")
        if let at = value.firstIndex(of: "@"), equals.map({ at < $0 }) ?? true {
            throw UsageError(
                "--data-urlencode \(value): text to encode is not read from a file; write NAME=TEXT"
            )
        }
        guard let equals else { return PercentEncoding.encoded(value) }
        let name = value[..<equals]
        let text = PercentEncoding.encoded(String(value[value.index(after: equals)...]))
        return name.isEmpty ? text : "\(name)=\(text)"
    }
}
