// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// Decoders for JSON that somebody else wrote. There is no other way to make one in the daemon: `scripts/test` looks.
package enum ForeignJSON {
    /// For what a server, client, app or person says: what is out of range is refused.
    package static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom(date)
        return decoder
    }

    /// For what stands in the store, which had no such checks once, and for what the daemon says: what is out of range
    /// becomes the nearest value.
    package static func storeDecoder() -> JSONDecoder {
        let decoder = Self.decoder()
        if let key = CodingUserInfoKey.takesNearestValues { decoder.userInfo[key] = true }
        return decoder
    }

    /// Decodes one value from bytes that somebody else wrote, with so many values within it at most: the decoder, which
    /// recurses, is given no more brackets within brackets than a small stack bears.
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
    /// Whether a value that is out of range becomes the nearest one and is not refused.
    var takesNearestValues: Bool {
        CodingUserInfoKey.takesNearestValues.flatMap { userInfo[$0] as? Bool } ?? false
    }
}
