// SPDX-License-Identifier: Apache-2.0

/// A value in a box that copies share until one of them changes it: for a large part of a value that is often copied
/// and seldom changed. Copying it costs one reference count, whatever it holds.
@propertyWrapper
package struct Indirect<Value: Sendable>: Sendable {
    /// `@unchecked Sendable`: changed only while a single `Indirect` refers to it.
    private final class Place: @unchecked Sendable {
        var value: Value

        init(_ value: Value) { self.value = value }
    }

    private var place: Place

    package init(wrappedValue: Value) { place = Place(wrappedValue) }

    package var wrappedValue: Value {
        _read { yield place.value }
        _modify {
            if !isKnownUniquelyReferenced(&place) { place = Place(place.value) }
            yield &place.value
        }
    }
}

extension Indirect: Equatable where Value: Equatable {
    package static func == (one: Self, other: Self) -> Bool {
        one.place === other.place || one.place.value == other.place.value
    }
}
