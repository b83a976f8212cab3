// SPDX-License-Identifier: Apache-2.0

/// A signpost as it stands in the log: `signpost end "Decode" 4, after 12.250 ms: 3 pages`.
package struct SignpostText: Sendable, Equatable {
    package let text: String

    /// - Parameters:
    ///   - kind: `begin`, `end` or `event`.
    ///   - name: its name.
    ///   - id: tells intervals of one name apart.
    ///   - duration: of an interval that has ended.
    ///   - message: what else is said.
    package init(
        _ kind: OSSignpostType,
        name: String,
        id: OSSignpostID,
        duration: Duration? = nil,
        message: String = ""
    ) {
        var text = "signpost \(kind.name) \"\(name)\""
        if id != .exclusive { text += " \(id.rawValue)" }
        if let duration {
            var format = NumberFormat()
            format.precision = 3
            text += ", after \(format.floating(duration / .milliseconds(1))) ms"
        }
        self.text = message.isEmpty ? text : text + ": " + message
    }
}
