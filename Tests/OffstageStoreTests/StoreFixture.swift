// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageStore
import Testing

/// A store's path in a folder that is removed with the fixture, and transfers to store.
final class StoreFixture {
    let folder: String
    var path: String { folder + "/store.sqlite" }

    static let now = Moment(wall: Date(timeIntervalSince1970: 1_800_000_000.25), bootID: "boot-1", uptime: 1000.125)

    init() throws {
        var template = Array("/tmp/offstage-store-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FixtureFailure(what: "mkdtemp: \(errno)") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func transfer(_ id: Int64, host: String = "files.example.org", owner: String = "command") throws -> Transfer {
        var spec = TransferSpec(
            direction: .download(.init(path: "/home/someone/Größe \(id).bin")),
            url: try RequestURL("https://\(host)/data/\(id)?signature=secret"),
            owner: owner
        )
        spec.headers = [HeaderField(name: "Authorization", value: "Bearer secret")]
        return Transfer(id: TransferID(rawValue: id), spec: spec, now: Self.now)
    }

    func finished(_ id: Int64, _ outcome: TransferOutcome = .cancelled, at seconds: Double = 0) throws -> Transfer {
        var transfer = try transfer(id)
        var end = Self.now
        end.wall += seconds
        transfer.state = .finished(outcome, at: end)
        transfer.expiry = nil
        return transfer
    }

    static let app = "org.example.photos"
    static let session = "org.example.photos.upload"

    /// A task of a background session.
    func task(
        _ id: Int64,
        number: Int? = nil,
        session: String = StoreFixture.session,
        owner: String = StoreFixture.app
    ) throws -> Transfer {
        let identity = FileIdentity(device: 1, inode: UInt64(id), size: 300, modified: 4)
        var spec = TransferSpec(
            direction: .upload(.init(path: "/home/someone/\(id).jpg", identity: identity)),
            url: try RequestURL("https://photos.example.org/in/\(id)"),
            owner: owner
        )
        spec.label = "photo \(id)"
        spec.sessionTask = SessionTaskKey(session: session, task: number ?? Int(id))
        spec.connectionsPerHost = 4
        return Transfer(id: TransferID(rawValue: id), spec: spec, now: Self.now)
    }

    static func registration(_ app: String) -> AppRegistration {
        AppRegistration(
            id: app,
            executable: "/opt/\(app)/app",
            information: .init(name: "Photos", backgroundModes: ["fetch"]),
            launch: .init(arguments: ["--quiet"], workingDirectory: "/home/someone", environment: ["LANG": "de_DE"])
        )
    }

    /// An entry that differs from those of other numbers.
    static func entry(_ number: Int) -> AppEntry { AppEntry(at: now, .attached(process: Int32(number))) }

    /// The same transfer, ended.
    func ended(_ transfer: Transfer, _ outcome: TransferOutcome = .cancelled, at seconds: Double = 0) -> Transfer {
        var transfer = transfer
        var end = Self.now
        end.wall += seconds
        transfer.state = .finished(outcome, at: end)
        transfer.expiry = nil
        return transfer
    }

    /// The files as a daemon that starts after a crash finds them; `logLength` is how many bytes of the write-ahead log
    /// have reached the disk, all when nil. The copy exists as long as it is referenced.
    func crashed(logLength: Int? = nil) throws -> StoreFixture {
        let copy = try StoreFixture()
        try FileManager.default.copyItem(atPath: path, toPath: copy.path)
        if FileManager.default.fileExists(atPath: path + "-wal") {
            try FileManager.default.copyItem(atPath: path + "-wal", toPath: copy.path + "-wal")
            if let logLength { #expect(truncate(copy.path + "-wal", off_t(logLength)) == 0) }
        }
        return copy
    }

    /// Runs SQL on the file through its own connection.
    @discardableResult
    func sql(_ text: String, path: String? = nil) throws -> [String] {
        let outside = try OutsideConnection(path ?? self.path)
        return try outside.run(text)
    }

    /// How many commits the write-ahead log holds (https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
    func commitsInLog() throws -> Int {
        guard let log = FileManager.default.contents(atPath: path + "-wal"), log.count > 32 else { return 0 }
        func number(at offset: Int) -> Int { log[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        let frame = 24 + number(at: 8)
        // The last frame of a commit holds the file's new length.
        return stride(from: 32, to: log.count - frame + 1, by: frame).filter { number(at: $0 + 4) != 0 }.count
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    func overwrite(at offset: Int, count: Int, with byte: UInt8 = 0x5A) throws {
        let file = Glibc.open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw FixtureFailure(what: "open: \(errno)") }
        defer { Glibc.close(file) }
        let bytes = [UInt8](repeating: byte, count: count)
        #expect(pwrite(file, bytes, count, offset) == count)
    }

    func size(_ companion: String = "") -> Int {
        var status = stat()
        return stat(path + companion, &status) == 0 ? Int(status.st_size) : -1
    }

    func mode(_ path: String) -> UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }
}

/// Another program's connection to the same file.
final class OutsideConnection {
    private var handle: OpaquePointer?

    init(_ path: String) throws {
        guard sqlite3_open(path, &handle) == SQLITE_OK else { throw FixtureFailure(what: "sqlite3_open") }
    }

    deinit { sqlite3_close_v2(handle) }

    /// The rows' columns, joined with `|`.
    @discardableResult
    func run(_ sql: String) throws -> [String] {
        var rows: [String] = []
        let result = withUnsafeMutablePointer(to: &rows) { rows in
            sqlite3_exec(
                handle,
                sql,
                { context, count, columns, _ in
                    let values = (0..<Int(count)).map { columns?[$0].map { String(cString: $0) } ?? "NULL" }
                    context?.assumingMemoryBound(to: [String].self).pointee.append(values.joined(separator: "|"))
                    return 0
                },
                rows,
                nil
            )
        }
        guard result == SQLITE_OK else { throw FixtureFailure(what: String(cString: sqlite3_errmsg(handle))) }
        return rows
    }
}

struct FixtureFailure: Error {
    var what: String
}

extension SQLiteStore {
    func unfinished() throws -> [TransferSummary] {
        var summaries: [TransferSummary] = []
        try forEachUnfinished { summaries.append($0) }
        return summaries
    }
}
