// SPDX-License-Identifier: Apache-2.0

private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decoder {
    /// Rejects an object with an unknown key. Otherwise a person would wonder why it has no effect.
    ///
    /// - Parameters:
    ///   - keys: the known keys.
    ///   - name: the setting whose value the object is; nil for the settings themselves.
    /// - Throws: `DecodingError` that names the key, and the known keys.
    package func refuseUnknownKeys<Keys: CodingKey & CaseIterable>(_ keys: Keys.Type, of name: String? = nil) throws {
        let known = Set(keys.allCases.map(\.stringValue))
        for key in try container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue) {
            let list = known.sorted().joined(separator: ", ")
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: [],
                    debugDescription: name.map {
                        "'\(key.stringValue)' is not a setting in \($0); known ones are \(list)"
                    }
                        ?? "'\(key.stringValue)' is not a setting; known ones are \(list)"
                )
            )
        }
    }
}
