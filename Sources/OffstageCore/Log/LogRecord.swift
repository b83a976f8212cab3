// SPDX-License-Identifier: Apache-2.0

/// One record of the daemon's log: a constant message and its values.
package struct LogRecord: Sendable, Hashable {
    /// How much a record matters, and to whom.
    package enum Level: String, Sendable, Hashable, CaseIterable, Codable, Comparable {
        /// Every step, for following what the daemon does. Only written on request.
        case debug
        /// The daemon's own history, as a bug report needs it.
        case notice
        /// Something outside the daemon is wrong: bad input, stale state, a system that refuses.
        case error
        /// A bug of Offstage.
        case fault

        package static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .debug: 0
            case .notice: 1
            case .error: 2
            case .fault: 3
            }
        }
    }

    /// A named value, in the words of its type.
    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package let level: Level
    package let message: String
    package let fields: [Field]

    /// - Parameters:
    ///   - level: how much it matters.
    ///   - message: what happened; a constant, so equal events have equal messages.
    ///   - metadata: what it happened to, and why. Each value leaves out its own secrets.
    package init(_ level: Level, _ message: StaticString, _ metadata: LogMetadata = [:]) {
        self.level = level
        self.message = message.description
        fields = metadata.map { Field(name: $0.key.description, value: $0.value.logText) }
    }

    /// The value of the field with that name.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The record in one line, without its level: `a journal cannot be read: app=com.example.app reason="Permission denied"`.
    ///
    /// No value can break the line, forge a field, or reveal the secret parts of a URL.
    package var text: String {
        guard !fields.isEmpty else { return message }
        let values = fields.map { " \($0.name)=\(Self.quoted($0.value.redactedURLs.redactedControls))" }
        return "\(message):\(values.joined())"
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 32 && $0 != 127 && !"\"=\\".utf8.contains($0) }
        if isPlain { return value }
        var result = "\""
        for scalar in value.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
