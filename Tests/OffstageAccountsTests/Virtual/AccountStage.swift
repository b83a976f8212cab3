// SPDX-License-Identifier: Apache-2.0
import EngineTestSupport
import FoundationEssentials
import OffstageAccounts
import OffstageCore
import OffstageProtocol
import OffstageRuntime
import OffstageTestSupport

/// The engine of accounts in virtual time, with a service that is a value.
///
/// `@unchecked Sendable`: belongs to the test's one thread.
final class AccountStage: @unchecked Sendable {
    let engine: EngineStage
    let service: StandInService
    let center: AccountCenter

    /// - Throws: as `EngineStage`.
    convenience init() throws { try self.init { $0.store } }

    /// - Parameter store: the store of the accounts, made from the underlying stage.
    /// - Throws: as `EngineStage`.
    convenience init(store: (EngineStage) -> any AccountStore) throws {
        let engine = try EngineStage()
        let clock = engine.clock
        try self.init(engine, StandInService { clock.now().uptime }, store(engine))
    }

    private init(_ engine: EngineStage, _ service: StandInService, _ store: any AccountStore) throws {
        (self.engine, self.service) = (engine, service)
        center = AccountCenter(
            loop: engine.loop,
            store: store,
            trouble: engine.trouble,
            keyPath: engine.directory.path("accounts.key"),
            clock: engine.clock,
            exchange: { request, _ in service.answer(request) },
            log: engine.log
        )
        let center = center
        engine.atEnd { await center.shutDown() }
    }

    /// The next daemon, with the store and the key of this one, which is cut off at this point.
    func next(after seconds: Double = 0) throws -> AccountStage {
        let engine = try engine.next(after: seconds)
        return try AccountStage(engine, service, engine.store)
    }

    // MARK: What people do

    func request(_ code: String, asksFirst: Bool? = nil) throws -> AddAccount {
        AddAccount(
            account: Account(
                name: "work",
                appKey: "app-key",
                endpoints: try DropboxEndpoints(below: "http://127.0.0.1:1"),
                addedAt: Date(timeIntervalSince1970: 0)
            ),
            code: code,
            verifier: String(repeating: "v", count: 43),
            redirectURI: nil,
            asksFirst: asksFirst
        )
    }

    @discardableResult
    func signIn(_ code: String = "code-1", asksFirst: Bool? = nil) throws -> AddAccount.Reply {
        let (center, request) = (center, try request(code, asksFirst: asksFirst))
        return try engine.run { try await center.add(request) }
    }

    func confirm(_ number: UInt64, keeps: Bool = true) throws -> ConfirmAccount.Reply {
        let center = center
        return try engine.run { try await center.confirm(ConfirmAccount(number: number, keeps: keeps)) }
    }

    // MARK: What transfers do

    /// Requests a token, and returns it, or throws the reason for its absence.
    func token(rejecting: String? = nil) throws -> String { try result(rejecting: rejecting).get() }

    func result(rejecting: String? = nil) throws -> Result<String, TransferFailure> {
        let center = center
        return try engine.run { await center.token(for: "work", rejecting: rejecting) }
    }

    func failure(rejecting: String? = nil) throws -> TransferFailure? {
        if case .failure(let failure) = try result(rejecting: rejecting) { failure } else { nil }
    }

    // MARK: What a test sees

    func row() throws -> AccountRow? {
        let center = center
        return try engine.run { try await center.list() }.rows.first
    }
}
