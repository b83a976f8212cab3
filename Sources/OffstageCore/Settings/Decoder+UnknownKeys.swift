// SPDX-License-Identifier: Apache-2.0

private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decoder {
    /// Refuses an object with a key that means nothing, rather than let a person wonder why it does.
    ///
    /// - Parameters:
    ///   - keys: those that are known.
    ///   - name: of the setting that the object is the value of; nil for the settings themselves.
    /// - Throws: `DecodingError` that names the key, and those that are known.
    func refuseUnknownKeys<Keys: CodingKey & CaseIterable>(_ keys: Keys.Type, of name: String? = nil) throws {
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
