// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore
import OffstageProtocol
package import OffstageRuntime
package import OffstageTransfers

/// Manages the accounts' tokens: requests them from their service, keeps them encrypted, and provides access tokens,
/// renewed in time and only once for all callers. `AccountTokens` decides, and this actor carries it out.
///
/// Runs on the daemon's loop. Separate threads wait for the key's file and the network, and exist only while there is
/// something to wait for. Nothing is read before the first request.
package actor AccountCenter {
    nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let records: AccountRecords
    let vault: AccountVault
    let clock: SystemClock
    let log: Log
    private let exchange: Exchange

    var held: [String: HeldAccount] = [:]
    /// Sign-ins that a person is being asked about.
    var unconfirmed = UnconfirmedAccounts()
    private var isLoaded = false
    private let waiters = Waiters<AccountTokens.Waiter, Result<String, TransferFailure>>()
    private var nextWaiter: AccountTokens.Waiter = 1
    /// Work that must not be interrupted: requests on their threads, and all steps from there to the disk.
    let work = WorkUnderWay()
    /// Called when an account has been added, or signed in to again.
    var onAdded: (@Sendable (_ name: String) -> Void)?
    private let threads: AccountThreads
    /// Set when the daemon stops.
    private let stop = StopFlag()

    package typealias Exchange =
        @Sendable (TokenRequest, _ isCancelled: @escaping @Sendable () -> Bool) -> Result<TokenAnswer, TransferFailure>

    /// - Parameters:
    ///   - loop: the daemon's loop.
    ///   - store: contains the accounts.
    ///   - trouble: waits while the store fails.
    ///   - keyPath: the file with the key that encrypts the tokens.
    ///   - clock: the loop's clock.
    ///   - exchange: sends a request for an account, and waits for the response on a separate thread.
    ///   - log: the daemon's log.
    package init(
        loop: EventLoop,
        store: any AccountStore,
        trouble: StoreTrouble,
        keyPath: String,
        clock: SystemClock,
        exchange: @escaping Exchange = { $0.run(isCancelled: $1) },
        log: Log
    ) {
        self.exchange = exchange
        self.loop = loop
        records = AccountRecords(loop: loop, store: store, trouble: trouble)
        vault = AccountVault(keyPath: keyPath)
        self.clock = clock
        self.log = log
        threads = AccountThreads(loop: loop)
    }

    /// An access token that is valid for at least some minutes, as far as is known here.
    ///
    /// - Parameters:
    ///   - name: the account's name.
    ///   - rejecting: a token that the service did not accept: it is renewed, unless this has already happened.
    /// - Returns: the token, or why there is none.
    package func token(for name: String, rejecting: String? = nil) async -> Result<String, TransferFailure> {
        do throws(StoreError) { try await load() } catch {
            return .failure(.init(.daemonInterrupted, "the store's accounts could not be read"))
        }
        guard let account = held[name] else { return .failure(.noAccount(name)) }
        if let error = await open(account) { return .failure(error.failure(of: name)) }
        guard !stop.isSet else { return .failure(Self.stopped) }
        // It may have been removed, or have a new sign-in, since the opening began.
        guard held[name] === account else { return await token(for: name, rejecting: rejecting) }
        let waiter = nextWaiter
        nextWaiter += 1
        let result = await waiters.wait(
            for: waiter,
            afterwards: {
                step(account, .asked(waiter, rejecting: rejecting))
            }
        )
        // Waiters at the time of a new sign-in want the new token.
        if case .failure = result, !stop.isSet, let current = held[name], current !== account {
            return await token(for: name, rejecting: rejecting)
        }
        return result
    }

    package func start(onAdded: @escaping @Sendable (_ name: String) -> Void) { self.onAdded = onAdded }

    /// Ends all waits, interrupts the work under way, and returns when all of it has ended: by then a refresh token
    /// that has replaced another is on the disk. Threads that hang in the kernel are only waited for briefly.
    package func shutDown() async {
        stop.set()
        records.prepareToStop()
        threads.stop()
        for account in held.values { step(account, .closed(Self.stopped)) }
        await work.untilAllHasEnded()
    }

    private static let stopped = TransferFailure(.daemonInterrupted, "the daemon stopped while a token was requested")

    // MARK: Queries

    /// Reads the accounts, once.
    func load() async throws(StoreError) {
        if isLoaded { return }
        let stored = try await records.accounts()
        if isLoaded { return }
        isLoaded = true
        for account in stored { held[account.account.name] = HeldAccount(account) }
    }

    /// Decrypts the tokens of an account if necessary. A problem with the key is rechecked each time.
    func open(_ account: HeldAccount) async -> VaultError? {
        guard account.tokens == nil, let sealed = account.stored.sealedGrant else { return nil }
        let (vault, name) = (vault, account.name)
        let opened = await threads.run(for: .vault) { () -> Result<AccountGrant, VaultError> in
            Result { () throws(VaultError) in try Self.grant(from: vault.open(sealed, of: name)) }
        }
        guard account.tokens == nil else { return nil }
        switch (try? opened.get()) ?? .failure(.noThread) {
        case .success(let grant):
            account.tokens = AccountTokens(name: name, grant: grant)
            account.trouble = nil
            return nil
        case .failure(let error):
            if account.trouble?.error != error {
                account.trouble = (error, clock.now().wall)
                log.error("an account cannot be used", ["account": name, "reason": error.sentence])
            }
            return error
        }
    }

    private static func grant(from bytes: [UInt8]) throws(VaultError) -> AccountGrant {
        guard let grant = try? ForeignJSON.storeDecoder().decode(AccountGrant.self, from: Data(bytes)) else {
            throw .notOpened
        }
        return grant
    }

    // MARK: Actions

    func step(_ account: HeldAccount, _ event: AccountTokens.Event) {
        let actions = account.tokens?.handle(event, now: clock.now()) ?? []
        for action in actions {
            switch action {
            case .refresh(let token):
                work.begin()
                loop.startTask {
                    await refresh(account, with: token)
                    work.end()
                }
            case .save(let grant):
                work.begin()
                loop.startTask {
                    await save(grant, of: account)
                    step(account, .saved)
                    work.end()
                }
            case .needSignIn(let reason): needSignIn(account, reason)
            case .answer(let waiters, let token): resume(waiters, .success(token))
            case .refuse(let waiters, let failure): resume(waiters, .failure(failure))
            }
        }
    }

    private func resume(_ ids: [AccountTokens.Waiter], _ result: Result<String, TransferFailure>) {
        for id in ids { waiters.resume(id, returning: result) }
    }

    private func refresh(_ account: HeldAccount, with token: String) async {
        step(account, .refreshed(await renew(token, of: account.stored.account)))
    }

    /// Requests an access token using a refresh token.
    func renew(_ refreshToken: String, of account: Account) async -> TokenAnswer.Verdict {
        await askForTokens(
            account,
            [
                (name: "grant_type", value: "refresh_token"), (name: "refresh_token", value: refreshToken),
                (name: "client_id", value: account.dropbox?.appKey ?? ""),
            ]
        )
    }

    /// Requests tokens from an account's service.
    func askForTokens(_ account: Account, _ fields: [(name: String, value: String)]) async -> TokenAnswer.Verdict {
        let now = clock.now()
        guard let endpoints = account.dropbox?.endpoints else { return .refused }
        do throws(RequestError) {
            let request = try TokenRequest(endpoints.token, .form(fields), of: account)
            switch await run(request, for: .account(account.name)) {
            case .success(let answer): return answer.verdict(server: request.server, now: now)
            case .failure(let failure): return .failed(failure)
            }
        } catch {
            return .failed(.init(.accountUnusable, String(error.sentence.dropLast())))
        }
    }

    /// Encrypts a grant and makes it durable. If it cannot be encrypted, it is valid as long as the daemon runs.
    private func save(_ grant: AccountGrant, of account: HeldAccount) async {
        do throws(VaultError) {
            let sealed = try await seal(grant, of: account.name)
            guard account.tokens?.grant == grant else { return }
            account.stored.sealedGrant = sealed
        } catch {
            return notKept(account, error.sentence)
        }
        await keepNow(account)
    }

    private func keepNow(_ account: HeldAccount) async {
        if !(await put(account)) { notKept(account, "the daemon stops while the store does not work") }
    }

    /// Puts an account back in its place, because its replacement could not be written.
    func restore(_ account: HeldAccount) {
        held[account.name] = account
        guard account.isUnwritten else { return }
        work.begin()
        loop.startTask {
            // Its refresh token may have been replaced in the meantime, and the service accepts only the new one.
            await keepNow(account)
            work.end()
        }
    }

    private func notKept(_ account: HeldAccount, _ why: String) {
        log.error(
            "the new token of an account is not kept for the next start",
            ["account": account.name, "reason": why]
        )
    }

    /// Makes an account durable, unless it is removed or signed in to again first; false if the daemon stops first.
    private func put(_ account: HeldAccount) async -> Bool {
        await records.put {
            account.isUnwritten = !self.isCurrent(account)
            return account.isUnwritten ? nil : account.stored
        }
    }

    /// - Throws: `VaultError`.
    func seal(_ grant: AccountGrant, of name: String, makesKey: Bool = false) async throws(VaultError) -> [UInt8] {
        guard let bytes = try? Array(JSONEncoder().encode(grant)) else { throw .libraryFailed }
        let vault = vault
        let sealed = await threads.run(for: .vault) { () -> Result<[UInt8], VaultError> in
            Result { () throws(VaultError) in try vault.seal(bytes, of: name, makesKey: makesKey) }
        }
        return try ((try? sealed.get()) ?? .failure(.noThread)).get()
    }

    private func needSignIn(_ account: HeldAccount, _ reason: SignInReason) {
        account.stored.account.state = .needsSignIn(reason, since: clock.now().wall)
        account.stored.sealedGrant = nil
        account.isUnwritten = !isCurrent(account)
        guard !account.isUnwritten else { return }
        log.error("an account needs a new sign-in", ["account": account.name, "reason": reason.detail])
        work.begin()
        loop.startTask {
            // If the daemon stops first, the next one discovers it by asking again.
            _ = await put(account)
            work.end()
        }
    }

    /// Whether the account has neither been removed nor received a new sign-in.
    func isCurrent(_ account: HeldAccount) -> Bool { held[account.name] === account }

    // MARK: Threads

    /// Sends a request and waits for its response without blocking the loop.
    func run(
        _ request: TokenRequest,
        for purpose: AccountThreads.Purpose
    ) async -> Result<TokenAnswer, TransferFailure> {
        guard !stop.isSet else { return .failure(Self.stopped) }
        work.begin()
        defer { work.end() }
        let stop = stop
        switch await threads.run(for: purpose, { [exchange] in exchange(request) { stop.isSet } }) {
        case .success(let result): return result
        case .failure(.noThread): return .failure(.init(.daemonInterrupted, "the system allows no more threads"))
        case .failure(.noAnswer):
            if stop.isSet { return .failure(Self.stopped) }
            let detail = "a file for the connection to \(request.server) is on a disk that does not answer"
            return .failure(.init(.daemonInterrupted, detail))
        }
    }
}
