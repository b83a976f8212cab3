// SPDX-License-Identifier: Apache-2.0

/// A value that is always in the range of its rule: a foreign one is checked when it is decoded, and an assigned one
/// becomes the nearest value. On the wire and in the store it is the bare value.
@propertyWrapper
package struct Within<Rule: ForeignValueRule>: Sendable, Hashable, Codable {
    private var value: Rule.Value

    package var wrappedValue: Rule.Value {
        get { value }
        set { value = Rule.nearest(to: newValue) }
    }

    package init(wrappedValue: Rule.Value) {
        value = Rule.nearest(to: wrappedValue)
    }

    package init(from decoder: any Decoder) throws {
        value = try Rule.checked(decoder.singleValueContainer().decode(Rule.Value.self), from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
