// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
package import OffstageCore
import OffstageFiles
package import OffstageRuntime
import OffstageTransfers

/// Gets tokens from Google through key files and token commands, and keeps valid ones: many uploads share one.
///
/// Runs on the daemon's loop. Nothing is written to disk.
package actor GoogleTokens {
    nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let accounts: AccountCenter
    private let workers: WorkerPool
    private let clock: SystemClock
    private let readCommand: @Sendable (_ command: String, [String: String]) async -> String?
    private var grants: [GoogleCredentials: AccountGrant] = [:]
    /// The credentials for which a request is under way.
    private var asked: Set<GoogleCredentials> = []
    private let waiters = Waiters<GoogleCredentials, Result<AccountGrant, TransferFailure>>()

    /// The most tokens that are kept; further ones are requested again.
    private static let mostGrants = 64
    /// Seconds for which a command's token counts as valid: a command does not report when it expires.
    private static let lifeOfPrinted = 360.0
    /// Seconds before its expiry when a token is no longer used.
    private static let lead = 60.0
    /// The longest token, in bytes.
    private static let longestToken = 16_384

    /// - Parameters:
    ///   - accounts: the center whose threads send the requests.
    ///   - workers: read the files, and sign.
    ///   - clock: the loop's clock.
    ///   - readCommand: runs a shell command, and returns its output; nil if it failed.
    package init(
        accounts: AccountCenter,
        workers: WorkerPool,
        clock: SystemClock,
        readCommand: @escaping @Sendable (_ command: String, [String: String]) async -> String?
    ) {
        loop = accounts.loop
        self.accounts = accounts
        self.workers = workers
        self.clock = clock
        self.readCommand = readCommand
    }

    /// A token that is valid for some time, as far as is known here.
    ///
    /// - Parameters:
    ///   - credentials: the owner of the token.
    ///   - rejecting: a token that the service did not accept.
    /// - Returns: the token, or why there is none.
    package func token(
        for credentials: GoogleCredentials,
        rejecting: String?
    ) async -> Result<GrantedToken, TransferFailure> {
        if let grant = grants[credentials], grant.accessToken != rejecting, isGood(grant) {
            return .success(GrantedToken(grant.accessToken))
        }
        let result: Result<AccountGrant, TransferFailure>
        if asked.contains(credentials) {
            result = await waiters.wait(for: credentials, afterwards: {})
            // It may have been requested before the server refused it.
            if case .success(let grant) = result, grant.accessToken == rejecting {
                return await token(for: credentials, rejecting: rejecting)
            }
        } else {
            asked.insert(credentials)
            result = await ask(credentials)
            asked.remove(credentials)
            if case .success(let grant) = result { keep(grant, of: credentials) }
            waiters.resume(credentials, returning: result)
        }
        return result.flatMap { grant in
            guard grant.accessToken != rejecting else {
                return .failure(
                    .init(.accessKeyRefused, "the server does not accept the token from \(credentials.identity.words)")
                )
            }
            return .success(GrantedToken(grant.accessToken))
        }
    }

    private func isGood(_ grant: AccountGrant) -> Bool {
        (grant.expiry?.remaining(at: clock.now()) ?? 0) > Self.lead
    }

    private func keep(_ grant: AccountGrant, of credentials: GoogleCredentials) {
        if grants.count >= Self.mostGrants { grants = grants.filter { isGood($0.value) } }
        if grants.count >= Self.mostGrants { grants = [:] }
        grants[credentials] = grant
    }

    // MARK: - Asking

    private func ask(_ credentials: GoogleCredentials) async -> Result<AccountGrant, TransferFailure> {
        switch credentials.identity {
        case .command(let command): await run(command)
        case .keyFile(let path): await exchange(path, credentials)
        }
    }

    private func run(_ command: String) async -> Result<AccountGrant, TransferFailure> {
        guard let output = await readCommand(command, [:]) else {
            return .failure(.init(.keyCommandFailed, "the token command failed"))
        }
        let words = output.utf8.split { $0 == 10 || $0 == 13 || $0 == 32 || $0 == 9 }
        guard words.count == 1, let word = words.first, word.count <= Self.longestToken,
            word.allSatisfy({ (33...126).contains($0) })
        else {
            return .failure(.init(.accessKeyRefused, "the token command does not print one token and nothing else"))
        }
        let expiry = Deadline(setAt: clock.now(), delay: Self.lifeOfPrinted)
        return .success(AccountGrant(accessToken: String(Substring(word)), expiry: expiry, refreshToken: nil))
    }

    private func exchange(
        _ path: String,
        _ credentials: GoogleCredentials
    ) async -> Result<AccountGrant, TransferFailure> {
        let now = clock.now()
        let words = credentials.identity.words
        let time = Int64(nearest: now.wall.timeIntervalSince1970)
        let order = await workers.run { Self.order(path, words, at: time) }
        do throws(TransferFailure) {
            let (url, fields) = try order.get()
            let way = TokenRequest.Way(
                credentials.proxy,
                certificateAuthorityPath: credentials.certificateAuthorityPath
            )
            let request = try Self.request(url, fields, way, words)
            let answer = try await accounts.run(request, for: .keyFiles).get()
            switch answer.verdict(server: request.server, now: now) {
            case .granted(let grant, _): return .success(grant)
            case .refused:
                throw .init(
                    .accessKeyRefused,
                    "\(request.server) does not accept \(words): the key was removed there, or the clock here is wrong"
                )
            case .failed(var failure):
                if failure.code == .accountUnusable { failure.code = .accessKeyRefused }
                throw failure
            }
        } catch {
            return .failure(error)
        }
    }

    private static func request(
        _ url: String,
        _ fields: [(name: String, value: String)],
        _ way: TokenRequest.Way,
        _ words: String
    ) throws(TransferFailure) -> TokenRequest {
        do throws(RequestError) {
            return try TokenRequest(url, .form(fields), by: way)
        } catch {
            throw .init(
                .accessKeyRefused,
                "\(words) names a server that no key is sent to: \(error.sentence.dropLast())"
            )
        }
    }

    private typealias Order = (url: String, fields: [(name: String, value: String)])

    /// The request to send, and its server. Blocking.
    private static func order(_ path: String, _ words: String, at time: Int64) -> Result<Order, TransferFailure> {
        let bytes: [UInt8]
        do throws(SmallFile.Trouble) {
            bytes = try SmallFile.contents(of: path, limit: GoogleKey.longestFile)
        } catch {
            return .failure(.init(.accessKeyRefused, "\(words) cannot be read (\(error.detail))"))
        }
        switch GoogleKey.read(bytes) {
        case .failure(let problem): return .failure(.init(.accessKeyRefused, "\(words) \(problem.detail)"))
        case .success(.user(let user)):
            let fields = [
                (name: "grant_type", value: "refresh_token"), (name: "refresh_token", value: user.refreshToken),
                (name: "client_id", value: user.clientID), (name: "client_secret", value: user.clientSecret),
            ]
            return .success((GoogleKey.tokenURL, fields))
        case .success(.serviceAccount(let account)):
            let claims = GoogleKey.claims(of: account, at: time)
            guard let signature = RSASignature.sign(claims, with: account.privateKey) else {
                return .failure(.init(.accessKeyRefused, "\(words) has a private_key that cannot sign"))
            }
            let fields = [
                (name: "grant_type", value: "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                (name: "assertion", value: "\(claims).\(Base64URL.text(signature))"),
            ]
            return .success((account.tokenURL, fields))
        }
    }
}
