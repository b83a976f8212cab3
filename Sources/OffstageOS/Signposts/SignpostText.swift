// SPDX-License-Identifier: Apache-2.0

/// A signpost formatted for the log: `signpost end "Decode" 4, after 12.250 ms: 3 pages`.
package struct SignpostText: Sendable, Equatable {
    package let text: String

    /// - Parameters:
    ///   - kind: `begin`, `end` or `event`.
    ///   - name: the signpost's name.
    ///   - id: distinguishes intervals with the same name.
    ///   - duration: the duration of an interval that has ended.
    ///   - message: further information.
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
