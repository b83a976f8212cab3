// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A transfer as stored alongside its id and specification: only the differences from a new transfer made at that
/// moment. Most transfers in a long queue have none.
///
/// The result of `Transfer.init` is therefore part of the stored form. If it changes, a migration must write out the
/// former result.
package struct TransferRecord: Encodable, DecodableWithConfiguration, Sendable, Equatable {
    package var transfer: Transfer

    /// The values that are stored alongside the record.
    package struct DecodingConfiguration: Sendable {
        package var id: TransferID
        package var spec: TransferSpec

        package init(id: TransferID, spec: TransferSpec) {
            self.id = id
            self.spec = spec
        }
    }

    package init(_ transfer: Transfer) {
        self.transfer = transfer
    }

    /// The transfer in its initial state.
    private static func fresh(_ transfer: Transfer) -> Transfer {
        Transfer(id: transfer.id, spec: transfer.spec, now: transfer.createdAt)
    }

    /// Whether nothing has happened to the transfer, and its record contains only its date. The state that it was
    /// handed over to continue is in its record, too.
    package var isFresh: Bool { transfer.dialectMemory == nil && transfer == Self.fresh(transfer) }

    private enum CodingKeys: String, CodingKey {
        case createdAt, state, expiry, attempts, retries, fruitlessAttempts, furthestByte, hasBeenAnswered, partial
        case partialFile, bytesDone, bytesTotal, challengesAnswered, resumeData, lastFailure, history
        case dialectMemory, partialTag, completionStatus, moved, restarts
        /// Whether the sentences of its failures contain no secrets. Offstage 0.1.0 left them in.
        case isStruck
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let fresh = Self.fresh(transfer)
        func encode<Value: Encodable & Equatable>(_ path: KeyPath<Transfer, Value>, _ key: CodingKeys) throws {
            let value = transfer[keyPath: path]
            if value != fresh[keyPath: path] { try container.encode(value, forKey: key) }
        }
        try container.encode(transfer.createdAt, forKey: .createdAt)
        if transfer.state != fresh.state || transfer.expiry != fresh.expiry {
            // State and expiry belong together: with a state, a missing expiry means no expiry.
            try container.encode(transfer.state, forKey: .state)
            try container.encodeIfPresent(transfer.expiry, forKey: .expiry)
        }
        try encode(\.past.count, .attempts)
        try encode(\.past.retries, .retries)
        try encode(\.past.fruitless, .fruitlessAttempts)
        try encode(\.past.restarts, .restarts)
        try encode(\.past.furthestByte, .furthestByte)
        try encode(\.past.moved, .moved)
        try encode(\.past.hasBeenAnswered, .hasBeenAnswered)
        try container.encodeIfPresent(transfer.partialFile, forKey: .partialFile)
        try container.encodeIfPresent(transfer.partialTag, forKey: .partialTag)
        try encode(\.bytesDone, .bytesDone)
        // These may be null: a value that is no longer known differs from the initial one.
        try encode(\.partial, .partial)
        try encode(\.bytesTotal, .bytesTotal)
        try encode(\.past.challengesAnswered, .challengesAnswered)
        try container.encodeIfPresent(transfer.resumeData, forKey: .resumeData)
        try container.encodeIfPresent(transfer.past.lastFailure, forKey: .lastFailure)
        try container.encodeIfPresent(transfer.completionStatus, forKey: .completionStatus)
        try encode(\.past.history, .history)
        try container.encodeIfPresent(transfer.dialectMemory.map { Base64Bytes(bytes: $0) }, forKey: .dialectMemory)
        if transfer.hasFailed { try container.encode(true, forKey: .isStruck) }
    }

    package init(from decoder: any Decoder, configuration: DecodingConfiguration) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
            try container.decodeIfPresent(Value.self, forKey: key)
        }
        transfer = Transfer(
            id: configuration.id,
            spec: configuration.spec,
            now: try container.decode(Moment.self, forKey: .createdAt)
        )
        if let state: TransferState = try value(.state) {
            transfer.state = state
            transfer.expiry = try value(.expiry)
        }
        transfer.past.count = try value(.attempts) ?? transfer.past.count
        transfer.past.retries = try value(.retries) ?? transfer.past.retries
        transfer.past.fruitless = try value(.fruitlessAttempts) ?? transfer.past.fruitless
        transfer.past.restarts = try value(.restarts) ?? transfer.past.restarts
        transfer.past.furthestByte = try value(.furthestByte) ?? transfer.past.furthestByte
        transfer.past.moved = try value(.moved) ?? transfer.past.moved
        transfer.past.hasBeenAnswered = try value(.hasBeenAnswered) ?? transfer.past.hasBeenAnswered
        if container.contains(.partial) { transfer.partial = try value(.partial) }
        transfer.partialFile = try value(.partialFile)
        // Checked because it becomes part of a path.
        transfer.partialTag = try value(.partialTag).flatMap { ResumeData.isToken($0) ? $0 : nil }
        transfer.bytesDone = try value(.bytesDone) ?? transfer.bytesDone
        if container.contains(.bytesTotal) { transfer.bytesTotal = try value(.bytesTotal) }
        transfer.past.challengesAnswered = try value(.challengesAnswered) ?? transfer.past.challengesAnswered
        transfer.resumeData = try value(.resumeData)
        transfer.past.lastFailure = try value(.lastFailure)
        transfer.completionStatus = try value(.completionStatus)
        transfer.past.history = try value(.history) ?? transfer.past.history
        let memory: Base64Bytes? = try value(.dialectMemory)
        transfer.dialectMemory = memory.map { Array($0.bytes) }
        let isStruck: Bool? = try value(.isStruck)
        if isStruck != true, transfer.hasFailed { transfer.strikeSecretsOfFailures() }
    }
}
