// SPDX-License-Identifier: Apache-2.0
package import DropboxEmulator
import FoundationEssentials
import Glibc
package import OffstageAccounts
package import OffstageCore
package import OffstageProtocol
package import OffstageRuntime
package import OffstageStore
package import OffstageTestSupport

/// The accounts of a daemon, with its own loop and store, and a service to sign in to.
package final class AccountHarness: Sendable {
    package let directory: TemporaryDirectory
    package let service: TokenService
    package let center: AccountCenter
    /// The daemon's.
    package let clock: SystemClock
    private let loop: EventLoop
    private let store: SQLiteStore
    private let records = Monitor<[LogRecord]>([])
    private let hasLoopEnded = Monitor(false)

    /// - Parameters:
    ///   - other: a harness to end first, whose store, key and service this one takes over.
    ///   - seenThrough: wraps the store as the accounts see it.
    /// - Throws: `TestError`, `StoreError`, `DaemonError`.
    package init(
        after other: AccountHarness? = nil,
        seenThrough: (SQLiteStore) -> any AccountStore = { $0 }
    ) throws {
        other?.end()
        directory = try other?.directory ?? TemporaryDirectory()
        service = try other?.service ?? TokenService()
        store = try SQLiteStore.open(path: directory.path("store.sqlite")).store
        let loop = try EventLoop()
        let (records, hasLoopEnded) = (records, hasLoopEnded)
        self.loop = loop
        // It moves only by `advance`: under load, minutes can pass between two steps of a test.
        let clock = SystemClock(lead: loop.lead, source: .virtual(VirtualClock()))
        self.clock = clock
        let log = Log { record in records.withLock { $0.append(record) } }
        center = AccountCenter(
            loop: loop,
            store: seenThrough(store),
            trouble: StoreTrouble(loop: loop, now: { clock.now() }, log: log),
            keyPath: directory.path("accounts.key"),
            clock: clock,
            log: log
        )
        try TestThread.start {
            loop.run()
            hasLoopEnded.withLock { $0 = true }
        }
    }

    deinit { end() }

    /// Shuts down the daemon's half; does nothing if it has ended.
    package func end() {
        if hasLoopEnded.withLock({ $0 }) { return }
        let (loop, center) = (loop, center)
        loop.post {
            loop.startTask {
                await center.shutDown()
                loop.stop()
            }
        }
        _ = hasLoopEnded.wait(TimeLimit(seconds: 20)) { $0 ? true : nil }
        store.close()
    }

    /// The log records so far.
    package var log: [LogRecord] { records.withLock { $0 } }

    /// Advances the daemon's clock.
    package func advance(by seconds: Double) {
        let done = Monitor(false)
        let loop = loop
        loop.post {
            loop.advance(by: seconds)
            done.withLock { $0 = true }
        }
        _ = done.wait(TimeLimit(seconds: 20)) { $0 ? true : nil }
    }

    /// Runs `body` as a task of the daemon's loop: none of its steps waits for the pool, which blocking tests hold up.
    package func onLoop<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let loop = loop
        return try await withCheckedThrowingContinuation { continuation in
            loop.post {
                loop.startTask {
                    do { continuation.resume(returning: try await body()) } catch {
                        continuation.resume(throwing: error)
                    }
                }
            }
        }
    }

    private static func account(_ name: String, below url: String) throws -> Account {
        Account(
            name: name,
            appKey: "app-key",
            endpoints: try DropboxEndpoints(below: url),
            addedAt: Date(timeIntervalSince1970: 0)
        )
    }

    @discardableResult
    package func add(
        _ name: String = "work",
        code: String = "code-1",
        asksFirst: Bool? = nil
    ) async throws -> AddAccount.Reply {
        let account = try Self.account(name, below: service.url)
        let verifier = String(repeating: "v", count: 43)
        let request = AddAccount(
            account: account,
            code: code,
            verifier: verifier,
            redirectURI: nil,
            asksFirst: asksFirst
        )
        let center = center
        return try await onLoop { try await center.add(request) }
    }

    /// Signs in to the emulator, like a person who pastes the code from its page.
    package func signIn(to emulator: DropboxEmulatorServer, as name: String = "dropbox") async throws {
        let verifier = String(repeating: "v", count: 43)
        let page =
            "/oauth2/authorize?client_id=app-key&response_type=code&token_access_type=offline"
            + "&code_challenge_method=S256&code_challenge=" + EmulatedDropbox.challenge(verifier)
        let descriptor = try LoopbackSocket.connect(port: emulator.port)
        defer { close(descriptor) }
        let head = "GET \(page) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        try LoopbackSocket.send(Array(head.utf8), to: descriptor)
        let limit = TimeLimit(seconds: 20)
        var answer: [UInt8] = []
        while let bytes = try LoopbackSocket.receive(descriptor, upTo: 1 << 16, limit: limit), !bytes.isEmpty {
            answer += bytes
        }
        let text = String(decoding: answer, as: UTF8.self)
        guard let start = text.firstRange(of: #"id="auth-code">"#) else { throw TestError("The page: \(text)") }
        let account = try Self.account(name, below: emulator.address)
        let code = String(text[start.upperBound...].prefix { $0 != "<" })
        _ = try await center.add(AddAccount(account: account, code: code, verifier: verifier, redirectURI: nil))
    }

    /// A caller that asks for a token, on the daemon's loop.
    package struct Asker: Sendable {
        fileprivate let found = Monitor<Result<String, TransferFailure>?>(nil)

        /// Waits for the outcome.
        package func result() throws -> Result<String, TransferFailure> {
            guard let result = found.wait(TimeLimit(seconds: 20), until: { $0 }) else {
                throw TestError("Nobody was told about a token in 20 s.")
            }
            return result
        }
    }

    /// Starts a sign-in without waiting, as `ask` does.
    package func begin(code: String) -> Monitor<Result<AddAccount.Reply, any Error>?> {
        let found = Monitor<Result<AddAccount.Reply, any Error>?>(nil)
        loop.post { [self] in
            loop.startTask {
                do {
                    let reply = try await add(code: code)
                    found.withLock { $0 = .success(reply) }
                } catch { found.withLock { $0 = .failure(error) } }
            }
        }
        return found
    }

    /// Asks for a token without waiting: a test that waits for a server holds up the pool that its own tasks run on.
    package func ask(_ name: String = "work", rejecting: String? = nil) -> Asker {
        let asker = Asker()
        let (loop, center) = (loop, center)
        loop.post {
            loop.startTask {
                let result = await center.token(for: name, rejecting: rejecting)
                asker.found.withLock { $0 = result }
            }
        }
        return asker
    }

    package func row(_ name: String = "work") async throws -> AccountRow? {
        try await center.list().rows.first { $0.account.name == name }
    }

    /// The accounts in the store.
    package func stored() async throws -> [StoredAccount] { try await store.accounts() }

    /// All bytes on the disk except for the key.
    package func storedBytes() throws -> [UInt8] {
        try TestFiles.names(in: directory.path).filter { $0.hasPrefix("store") }
            .flatMap { try TestFiles.read(directory.path($0)) }
    }
}
