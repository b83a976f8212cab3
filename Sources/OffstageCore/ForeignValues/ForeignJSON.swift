// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// Decoders for foreign JSON. The daemon creates them in no other way: `scripts/test` checks this.
package enum ForeignJSON {
    /// For values from servers, clients, apps and people: values out of range are refused.
    package static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom(date)
        return decoder
    }

    /// For values from the store, which once had no such checks, and from the daemon: values out of range become the
    /// nearest value.
    package static func storeDecoder() -> JSONDecoder {
        let decoder = Self.decoder()
        if let key = CodingUserInfoKey.takesNearestValues { decoder.userInfo[key] = true }
        return decoder
    }

    /// Decodes one value from foreign bytes. The number of values and the depth of brackets are limited, because the
    /// decoder is recursive and the stack may be small.
    ///
    /// - Throws: `JSONShape.Problem`, `DecodingError`.
    package static func decode<Value: Decodable>(
        _ type: Value.Type,
        from bytes: some Sequence<UInt8>,
        values limit: Int = .max
    ) throws -> Value {
        let data = Data(bytes)
        try JSONShape.check(data, values: limit)
        return try decoder().decode(type, from: data)
    }

    @Sendable private static func date(from decoder: any Decoder) throws -> Date {
        try CalendarDates.checked(
            Date(timeIntervalSinceReferenceDate: decoder.singleValueContainer().decode(Double.self)),
            from: decoder
        )
    }
}

extension CodingUserInfoKey {
    fileprivate static let takesNearestValues = CodingUserInfoKey(rawValue: "takesNearestValues")
}

extension Decoder {
    /// Whether a value out of range becomes the nearest one rather than being refused.
    var takesNearestValues: Bool {
        CodingUserInfoKey.takesNearestValues.flatMap { userInfo[$0] as? Bool } ?? false
    }
}
