// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import CSQLite
import FoundationEssentials
import OffstageCore

/// Encodes transfers as the two blobs of their row in `records`, decodes them, and reads the registrations of apps. The
/// only place in the store that decodes data that may be set aside after crashes. Used by one thread at a time.
final class RecordCoder {
    private let decoder = ForeignJSON.storeDecoder()
    /// The last record of an unchanged transfer, because all records made at the same moment are alike.
    private var fresh: (createdAt: Moment, record: [UInt8])?
    /// The number of crashes during which a record was being read, if it must not be read again.
    let crashesReading: @Sendable (CrashSuspect) -> Int?

    init(crashesReading: @escaping @Sendable (CrashSuspect) -> Int? = { _ in nil }) {
        self.crashesReading = crashesReading
    }

    /// - Throws: `SQLITE_MISMATCH` for values that JSON cannot express.
    func record(of transfer: Transfer) throws(SQLiteError) -> [UInt8] {
        let record = TransferRecord(transfer)
        guard record.isFresh else { return try encode(record, of: transfer.id) }
        if let fresh, fresh.createdAt == transfer.createdAt { return fresh.record }
        let bytes = try encode(record, of: transfer.id)
        fresh = (transfer.createdAt, bytes)
        return bytes
    }

    /// - Throws: `SQLITE_MISMATCH` for values that JSON cannot express.
    func spec(of transfer: Transfer) throws(SQLiteError) -> [UInt8] {
        try bytes(of: transfer.id) { try transfer.spec.json() }
    }

    /// The transfer of these blobs; nil if they are invalid.
    func transfer(_ id: Int64, record: Data, spec: Data) -> Transfer? {
        reading(id) {
            guard let spec = try? decoder.decode(TransferSpec.self, from: spec) else { return nil }
            let configuration = TransferRecord.DecodingConfiguration(id: TransferID(rawValue: id), spec: spec)
            return try? decoder.decode(TransferRecord.self, from: record, configuration: configuration).transfer
        }
    }

    /// The transfer of a record of schema 1, which contains its specification; nil if it is invalid.
    func transfer(_ id: Int64, wholeRecord: Data) -> Transfer? {
        struct Whole: Decodable { var spec: TransferSpec }
        return reading(id) {
            guard let whole = try? decoder.decode(Whole.self, from: wholeRecord) else { return nil }
            let configuration = TransferRecord.DecodingConfiguration(id: TransferID(rawValue: id), spec: whole.spec)
            return try? decoder.decode(TransferRecord.self, from: wholeRecord, configuration: configuration).transfer
        }
    }

    /// The app of this registration; nil if it is invalid, or must not be read.
    func app(_ id: String, registration: Data) -> AppRegistration? {
        guard crashesReading(.app(id)) == nil else { return nil }
        let before = offstage_doing_begin_named(
            DaemonWork.Kind.app.rawValue,
            DaemonWork.Step.readingRecord.rawValue,
            id
        )
        defer { offstage_doing_end(before) }
        return try? decoder.decode(AppRegistration.self, from: registration)
    }

    /// Reads a record, unless it must not be read, with the note in place that a trap in it leaves behind.
    private func reading(_ id: Int64, _ body: () -> Transfer?) -> Transfer? {
        guard crashesReading(.transfer(TransferID(rawValue: id))) == nil else { return nil }
        let before = offstage_doing_begin(
            DaemonWork.Kind.transfer.rawValue,
            DaemonWork.Step.readingRecord.rawValue,
            id
        )
        defer { offstage_doing_end(before) }
        offstage_fault("trap-in-record", id, "")
        return body()
    }

    private func encode(_ record: TransferRecord, of id: TransferID) throws(SQLiteError) -> [UInt8] {
        try bytes(of: id) { try record.json() }
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
    /// Reads one transfer; nil if it does not exist. An unfinished transfer with an invalid record is replaced by one
    /// that reports this.
    func transfer(_ id: Int64, coder: RecordCoder) throws(SQLiteError) -> Transfer? {
        do throws(SQLiteError) {
            let row = try statement("SELECT record, spec FROM records WHERE id = ?1")
            row.bind(1, id)
            defer { row.reset() }
            guard try row.step() else { return nil }
            if let transfer = coder.transfer(id, record: row.data(0), spec: row.data(1)) { return transfer }
        } catch {
            guard error.code == SQLITE_TOOBIG else { throw error }
        }
        return try unreadable(id, coder)
    }

    /// A transfer made from the columns outside its record. Nil if they are not sufficient, or it has ended.
    private func unreadable(_ id: Int64, _ coder: RecordCoder) throws(SQLiteError) -> Transfer? {
        do throws(SQLiteError) {
            let row = try statement(
                """
                SELECT transfers.owner, url, path, identifier, task FROM transfers
                LEFT JOIN sessions ON sessions.id = session WHERE transfers.id = ?1 AND kind <> 'finished'
                """
            )
            row.bind(1, id)
            defer { row.reset() }
            guard try row.step() else { return nil }
            let path = row.text(2)
            guard let url = try? RequestURL(row.text(1)), path.hasPrefix("/") else { return nil }
            var spec = TransferSpec(direction: .download(.init(path: path)), url: url, owner: row.text(0))
            if !row.isNull(3) { spec.sessionTask = SessionTaskKey(session: row.text(3), task: Int(row.integer(4))) }
            // No date is known, and this one is the same at each read.
            let moment = Moment(wall: Date(timeIntervalSinceReferenceDate: 0), bootID: "", uptime: 0)
            let number = TransferID(rawValue: id)
            let crashes = coder.crashesReading(.transfer(number)) ?? 0
            return Transfer(unreadable: number, spec: spec, crashes: crashes, now: moment)
        } catch {
            guard error.code == SQLITE_TOOBIG else { throw error }
            return nil
        }
    }
}
