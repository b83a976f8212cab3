// SPDX-License-Identifier: Apache-2.0

/// Like `Within`, for a value that may be missing; then its key is missing, too.
@propertyWrapper
package struct WithinIfPresent<Rule: ForeignValueRule>: Sendable, Hashable {
    private var value: Rule.Value?

    package var wrappedValue: Rule.Value? {
        get { value }
        set { value = newValue.map(Rule.nearest) }
    }

    package init(wrappedValue: Rule.Value?) {
        value = wrappedValue.map(Rule.nearest)
    }
}

extension WithinIfPresent: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        value = container.decodeNil() ? nil : try Rule.checked(container.decode(Rule.Value.self), from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// The compiler's code for `Codable` calls these instead of the general ones, which require the key.
extension KeyedDecodingContainer {
    package func decode<Rule>(
        _ type: WithinIfPresent<Rule>.Type,
        forKey key: Key
    ) throws -> WithinIfPresent<Rule> {
        try decodeIfPresent(type, forKey: key) ?? WithinIfPresent(wrappedValue: nil)
    }
}

extension KeyedEncodingContainer {
    package mutating func encode<Rule>(_ value: WithinIfPresent<Rule>, forKey key: Key) throws {
        try encodeIfPresent(value.wrappedValue, forKey: key)
    }
}
