// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageFleet
import OffstageTestSupport

/// A fleet on one machine: a real database with a login for each role, and the fleet's key in a file.
final class FleetStage {
    let server: PostgresServer
    private(set) var owner: DatabaseTalk
    let folder: TemporaryDirectory
    let key: FleetKey
    let id: String
    private var submitter: DatabaseTalk
    private var batches = 0

    /// - Parameter lease: seconds that a member with rows may be silent.
    /// - Throws: `TestError`.
    init(lease: Int = 2) throws {
        server = try PostgresServer()
        owner = try DatabaseTalk(server.words())
        try owner.migrate()
        for (login, role) in [("sends", "submitter"), ("works", "member"), ("sees", "viewer"), ("runs", "operator")] {
            try owner.login(login, role)
        }
        folder = try TemporaryDirectory()
        try TestFiles.makeDirectory(folder.path("shared"))
        key = try FleetKey()
        try key.write(to: folder.path("fleet.key"))
        _ = try owner.ask(
            "UPDATE offstage.fleet SET public_key = $1, lease_seconds = $2",
            [FleetBytes.text(key.publicKey.bytes), "\(lease)"]
        )
        id = try owner.ask("SELECT id FROM offstage.fleet").first?.raw("id") ?? ""
        submitter = try DatabaseTalk(server.words("sends"))
    }

    /// A file on the storage shared by all members.
    func file(_ name: String, bytes: Int, seed: UInt64 = 1) throws -> String {
        let path = folder.path("shared/\(name)")
        try TestFiles.makeRandom(path, bytes: bytes, seed: seed)
        return path
    }

    /// A specification for a file, as a submitter would write it.
    func upload(_ path: String, to url: String) throws -> TransferSpec {
        var status = stat()
        guard stat(path, &status) == 0 else { throw TestError.system(path) }
        let identity = FileIdentity(
            device: 99,
            inode: 99,
            size: Int64(status.st_size),
            modified: FileIdentity.nanoseconds(seconds: status.st_mtim.tv_sec, and: status.st_mtim.tv_nsec)
        )
        var spec = TransferSpec(
            direction: .upload(.init(path: path, identity: identity)),
            url: try RequestURL(url),
            owner: "command"
        )
        spec.statusPolicy = .retryTransientAndFailOnError
        return spec
    }

    /// A specification for a file that is sent in a tus upload session.
    func tusUpload(_ name: String, bytes: Int, to tus: TusTestServer) throws -> TransferSpec {
        var spec = try upload(file(name, bytes: bytes), to: tus.server.url("/files"))
        spec.method = "POST"
        spec.dialect = try TusParameters().dialectSpec(at: spec.url)
        return spec
    }

    /// Puts rows into the queue, with their secrets sealed.
    ///
    /// - Parameters:
    ///   - specs: the transfers.
    ///   - requires: labels that a member must have.
    ///   - isRepeatable: whether requests may be sent again.
    ///   - host: the server that the rows name; nil for the specification's server.
    /// - Returns: their numbers.
    /// - Throws: `DatabaseError` if the database refuses.
    @discardableResult
    func submit(
        _ specs: [TransferSpec],
        requires: [String] = [],
        isRepeatable: Bool = true,
        for host: String? = nil
    ) throws -> [Int64] {
        batches += 1
        let batch = "00000000-0000-0000-0000-" + String(repeating: "0", count: 12 - "\(batches)".count) + "\(batches)"
        let sealer = try FleetSealer(to: key.publicKey, fleet: id)
        _ = try submitter.ask("BEGIN")
        for (place, spec) in specs.enumerated() {
            let parts = try FleetSpec(spec)
            let sealed = try parts.secrets.map { try sealer.seal($0, SealSubject(.secrets, of: parts.open)) }
            _ = try submitter.ask(
                """
                INSERT INTO offstage.intake
                    (batch, place, host, requires, path, destination, bytes, is_repeatable, spec, sealed)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                """,
                [
                    batch, "\(place)", host ?? spec.url.host, FleetArray.texts(requires), spec.path, spec.destination,
                    "\(spec.sources.first?.identity.size ?? 0)", isRepeatable ? "t" : "f", parts.open,
                    sealed.map(FleetBytes.text),
                ]
            )
        }
        let taken = try submitter.ask("SELECT first_id FROM offstage.submit($1)", [batch])
        _ = try submitter.ask("COMMIT")
        guard let first = taken.first?.raw("first_id").flatMap({ Int64($0) }) else { throw TestError("no rows") }
        return specs.indices.map { first + Int64($0) }
    }

    /// A row, as shown to people.
    func row(_ id: Int64) throws -> FleetRecord {
        guard let row = try owner.ask("SELECT * FROM offstage.row WHERE id = $1", ["\(id)"]).first else {
            throw TestError("There is no row \(id).")
        }
        return row
    }

    func state(_ id: Int64) throws -> FleetStanding.State? {
        try row(id).number("state", Counts.self).flatMap(FleetStanding.State.init(rawValue:))
    }

    /// Waits until a row is in a state.
    @discardableResult
    func wait(_ id: Int64, for state: FleetStanding.State, within seconds: Double = 40) throws -> FleetRecord {
        do {
            return try eventually("row \(id) is \(state)", within: seconds) {
                try self.state(id) == state ? try row(id) : nil
            }
        } catch {
            let row = try row(id)
            throw TestError("\(error) It is \(row.raw("state") ?? "?"): \(row.raw("detail") ?? "")")
        }
    }

    /// A number that a statement returns.
    func number(_ text: StaticString, _ values: [String?] = []) throws -> Int {
        try owner.ask(text, values).first?.number("n", Counts.self) ?? -1
    }

    /// Reconnects after the server was restarted.
    func reconnect() throws {
        owner = try DatabaseTalk(server.words())
        submitter = try DatabaseTalk(server.words("sends"))
    }
}
