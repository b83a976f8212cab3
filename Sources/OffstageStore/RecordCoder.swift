// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials
import OffstageCore

/// Turns transfers into the two blobs of their row in `records`, and back. Used by one thread at a time.
final class RecordCoder {
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()
    /// The last record of a transfer to which nothing had happened: those of one moment are all alike.
    private var fresh: (createdAt: Moment, record: [UInt8])?

    /// - Throws: `SQLITE_MISMATCH` for what JSON cannot express.
    func record(of transfer: Transfer) throws(SQLiteError) -> [UInt8] {
        let record = TransferRecord(transfer)
        guard record.isFresh else { return try encode(record, of: transfer.id) }
        if let fresh, fresh.createdAt == transfer.createdAt { return fresh.record }
        let bytes = try encode(record, of: transfer.id)
        fresh = (transfer.createdAt, bytes)
        return bytes
    }

    /// - Throws: `SQLITE_MISMATCH` for what JSON cannot express.
    func spec(of transfer: Transfer) throws(SQLiteError) -> [UInt8] {
        try bytes(of: transfer.id) { try transfer.spec.json() }
    }

    /// The transfer that these blobs are; nil when they are no use.
    func transfer(_ id: Int64, record: Data, spec: Data) -> Transfer? {
        guard let spec = try? decoder.decode(TransferSpec.self, from: spec) else { return nil }
        let configuration = TransferRecord.DecodingConfiguration(id: TransferID(rawValue: id), spec: spec)
        return try? decoder.decode(TransferRecord.self, from: record, configuration: configuration).transfer
    }

    /// The transfer that a record of schema 1 is, with its specification within; nil when it is no use.
    func transfer(_ id: Int64, wholeRecord: Data) -> Transfer? {
        struct Whole: Decodable { var spec: TransferSpec }
        guard let whole = try? decoder.decode(Whole.self, from: wholeRecord) else { return nil }
        let configuration = TransferRecord.DecodingConfiguration(id: TransferID(rawValue: id), spec: whole.spec)
        return try? decoder.decode(TransferRecord.self, from: wholeRecord, configuration: configuration).transfer
    }

    private func encode(_ record: TransferRecord, of id: TransferID) throws(SQLiteError) -> [UInt8] {
        try bytes(of: id) { Array(try encoder.encode(record)) }
    }

    private func bytes(of id: TransferID, _ encode: () throws -> [UInt8]) throws(SQLiteError) -> [UInt8] {
        do {
            return try encode()
        } catch {
            throw SQLiteError(code: SQLITE_MISMATCH, message: "transfer \(id) cannot be encoded: \(error)")
        }
    }
}

extension SQLiteConnection {
    /// Reads one transfer; nil when it is not there or its record is no use.
    func transfer(_ id: Int64, coder: RecordCoder) throws(SQLiteError) -> Transfer? {
        let row = try statement("SELECT record, spec FROM records WHERE id = ?1")
        row.bind(1, id)
        defer { row.reset() }
        guard try row.step() else { return nil }
        return coder.transfer(id, record: row.data(0), spec: row.data(1))
    }
}
