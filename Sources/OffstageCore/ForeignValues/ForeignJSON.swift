// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// Decoders for JSON that somebody else wrote. There is no other way to make one in the daemon: `scripts/test` looks.
package enum ForeignJSON {
    /// For values of servers, clients, apps and people: those out of range are refused.
    package static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom(date)
        return decoder
    }

    /// For values of the store, which once had no such checks, and of the daemon: those out of range become the nearest
    /// value.
    package static func storeDecoder() -> JSONDecoder {
        let decoder = Self.decoder()
        if let key = CodingUserInfoKey.takesNearestValues { decoder.userInfo[key] = true }
        return decoder
    }

    /// Decodes one value from bytes that somebody else wrote, with a limit for the values in it, and for the depth of
    /// brackets, because the decoder is recursive and the stack may be small.
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
