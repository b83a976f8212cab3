// SPDX-License-Identifier: Apache-2.0
import AccountTestSupport
import DropboxEmulator
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageStore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// A queue that uploads to an emulator of Dropbox in the same process, and a record of the calls it receives.
final class DropboxStage: Sendable {
    /// A request to the emulator, and the content of the store's file when its head arrived.
    struct Call: Sendable {
        var route: EmulatorRoute?
        var offset: Int64?
        var stored: StoredSession?
    }

    /// The stored state of an upload session.
    struct StoredSession: Sendable, Equatable {
        var id: String
        var acknowledged: Int64
        var sent: Int64
        var stage: String
    }

    /// The calls held at the emulator's gate.
    struct Gate: Sendable {
        /// The number of the held call, counted from 1.
        var holds: Int?
        var isHeld = false
    }

    let emulator: DropboxEmulatorServer
    let harness: QueueHarness
    let tokens: TokenSupply
    let log = TransferLog()
    let network = Monitor<NetworkProblem?>(nil)
    /// Seconds that the queue's clock is ahead.
    let lead = Monitor<Double>(0)
    private let calls = Monitor<[Call]>([])
    private let gate = Monitor(Gate())
    /// The store's file through a separate connection, which shows only committed data.
    private let auditor = Monitor<SQLiteStore?>(nil)

    /// The call with the number `holding` waits until `letIn`; every commit of the store takes `commitDelay` seconds
    /// longer; with `looksAtStore` each call is recorded with the committed state. Tokens come from `tokens`, unless
    /// there are `accounts`.
    init(
        holding call: Int? = nil,
        commitDelay: Double = 0,
        looksAtStore: Bool = false,
        accounts: AccountHarness? = nil
    ) async throws {
        DescriptorLimit.raise()
        var configuration = DropboxEmulatorServer.Configuration()
        configuration.discards = true
        let (calls, gate, auditor) = (calls, gate, auditor)
        gate.withLock { $0.holds = call }
        configuration.onRequest = { request in
            let store = auditor.withLock { $0 }
            let stored = store.flatMap { Self.session(in: $0) }
            Self.note(request, stored, calls, gate)
        }
        let emulator = try DropboxEmulatorServer(configuration)
        let tokens = TokenSupply(emulator)
        var settings = Settings()
        settings.retryBaseDelay = 0.01
        settings.retryMaximumDelay = 0.05
        let (network, lead) = (network, lead)
        let surroundings: (inout TransferQueue.Environment) -> Void = { environment in
            let now = environment.now
            environment.now = {
                let now = now()
                let seconds = lead.withLock { $0 }
                return Moment(
                    wall: now.wall.addingTimeInterval(seconds),
                    bootID: now.bootID,
                    uptime: now.uptime + seconds
                )
            }
            environment.networkProblem = { _ in network.withLock { $0 } }
            environment.token = { source, rejecting, places, owner in
                guard case .account(let account) = source else { return .failure(.notUsable(source)) }
                guard let accounts else { return await tokens.token(account, rejecting: rejecting) }
                return await accounts.center.token(for: account, rejecting: rejecting, at: places, of: owner)
            }
        }
        harness = try QueueHarness(settings: settings, commitDelay: commitDelay, surroundings: surroundings)
        (self.emulator, self.tokens) = (emulator, tokens)
        if looksAtStore {
            let opened = try SQLiteStore.open(path: harness.directory.path("store.sqlite"))
            auditor.withLock { $0 = opened.store }
        }
        let log = log
        _ = await harness.queue.observe(nil) { notice, _ in log.note(notice) }
    }

    deinit {
        tokens.release()
        letIn()
        emulator.stop()
        auditor.withLock {
            $0?.close()
            $0 = nil
        }
    }

    private static func note(
        _ request: EmulatorRequest,
        _ stored: StoredSession?,
        _ calls: Monitor<[Call]>,
        _ gate: Monitor<Gate>
    ) {
        let argument = request.header("Dropbox-API-Arg").flatMap { try? JSONValue(parsing: $0) }
        let call = Call(
            route: EmulatorRoute(path: request.path),
            offset: argument?.cursor.offset.integer.map { Int64($0) },
            stored: stored
        )
        let number = calls.withLock {
            $0.append(call)
            return $0.count
        }
        guard gate.withLock({ $0.holds == number }) else { return }
        gate.withLock { $0.isHeld = true }
        _ = gate.wait(TimeLimit(seconds: 120)) { $0.holds == nil ? true : nil }
    }

    /// The stored session of the first transfer.
    private static func session(in store: SQLiteStore) -> StoredSession? {
        let found = Monitor<[Transfer]?>(nil)
        Task {
            let transfers = (try? await store.transfers([TransferID(rawValue: 1)])) ?? []
            found.withLock { $0 = transfers }
        }
        let transfer = found.wait(TimeLimit(seconds: 60)) { $0 }?.first
        guard let memory = transfer?.dialectMemory,
            let session = try? JSONValue(parsing: String(decoding: memory, as: UTF8.self)).session,
            let id = session.id.string, let acknowledged = session.acknowledged.integer,
            let sent = session.sent.integer
        else { return nil }
        return StoredSession(
            id: id,
            acknowledged: Int64(acknowledged),
            sent: Int64(sent),
            stage: session.stage.string ?? ""
        )
    }

    // MARK: - Uploads

    /// The size of a chunk, and of the largest file in one request, in bytes, by default.
    static let chunk: Int64 = 4 << 20

    /// The content of files: random, and generated once.
    private static let content: [UInt8] = {
        var generator = SeededGenerator(seed: 1)
        return generator.bytes(61 << 20)
    }()

    /// Creates a file; different seeds give different content.
    func makeFile(_ count: Int, seed: UInt64 = 1) throws -> String {
        let path = harness.directory.path("source")
        let start = Int(seed % 1000) * 8
        try TestFiles.write(Array(Self.content[start..<start + count]), to: path)
        return path
    }

    /// Hands a file over for `/target`.
    func upload(
        _ path: String,
        proxy: ProxyEnvironment = .init(),
        change: (inout DropboxParameters) -> Void = { _ in }
    ) async throws -> TransferID {
        var status = stat()
        guard stat(path, &status) == 0 else { throw TestError.system("\(path) is not there") }
        var parameters = DropboxParameters(
            account: "dropbox",
            path: "/target",
            endpoints: try DropboxEndpoints(below: emulator.address)
        )
        (parameters.largestChunk, parameters.connections) = (Self.chunk, 1)
        change(&parameters)
        let source = TransferSpec.UploadSource(path: path, identity: FileIdentity(status))
        var spec = TransferSpec(
            direction: .upload(source),
            url: try parameters.url(),
            method: "POST",
            owner: "command"
        )
        spec.dialect = try parameters.dialectSpec()
        spec.proxy = proxy
        return try #require(try await harness.queue.submit([spec]).first)
    }

    /// The `content_hash` of a file by the emulator's own hasher, which shares no code with the client's.
    static func contentHash(_ path: String) throws -> String {
        var hasher = ContentHasher()
        try TestFiles.read(path).withUnsafeBytes { hasher.update($0) }
        return hasher.contentHash()
    }

    /// Checks that a file was committed once, unchanged.
    func expectCommitted(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let hash = try Self.contentHash(path)
        let file = emulator.file("/target")
        #expect(file?.contentHash == hash, sourceLocation: sourceLocation)
        #expect(file?.size == TestFiles.size(path), sourceLocation: sourceLocation)
        #expect(emulator.record.commits == 1, sourceLocation: sourceLocation)
        #expect(emulator.files.count == 1, sourceLocation: sourceLocation)
    }

    // MARK: - The emulator's door

    /// Waits until the call to hold has arrived.
    func waitUntilHeld() throws {
        guard gate.wait(TimeLimit(seconds: 60), until: { $0.isHeld ? true : nil }) == true else {
            throw TestError("The call that was to be held up did not come: \(seen)")
        }
    }

    /// Releases the held call, and holds no further calls.
    func letIn() { gate.withLock { $0.holds = nil } }

    /// The calls so far, in order.
    var seen: [Call] { calls.withLock { $0 } }

    /// Waits until so many calls have arrived.
    func waitForCalls(_ count: Int) throws {
        guard calls.wait(TimeLimit(seconds: 60), until: { $0.count >= count ? true : nil }) == true else {
            throw TestError("\(count) calls should have come, but these have: \(seen)")
        }
    }

    /// Waits until the queue has closed a file.
    func waitUntilClosed(_ path: String) throws {
        try eventually("nobody has \(path) open") { !OpenFiles.paths().contains(path) ? true : nil }
    }
}
