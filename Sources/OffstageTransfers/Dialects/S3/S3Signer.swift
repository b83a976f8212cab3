// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// Signs the requests to an endpoint: holds the key, the region and the clock's offset, and adjusts them after
/// refusals.
struct S3Signer: Sendable {
    private let keys: CredentialSource
    /// The bucket's region, as far as it is known.
    private(set) var region: String
    private var key: AccessKey?
    /// The name of the key at its source.
    private var keyName = ""
    /// The name of a key that the server has refused.
    private(set) var rejected: String?
    /// Seconds by which the server's clock is ahead of this machine's.
    private var skew: Double = 0
    /// Whether another key has replaced a refused one, and no request has succeeded with it yet.
    private var hasRenewedKey = false
    private var hasSetClock = false
    private var redirects = 0

    private static let mostRedirects = 2

    init(_ keys: CredentialSource, region: String) {
        self.keys = keys
        self.region = region
    }

    /// Identifies what a request was signed with: a refusal of another signature reveals nothing about the current key,
    /// region or clock.
    struct Mark: Sendable, Equatable {
        /// The name of the key.
        fileprivate var key: String
        fileprivate var region: String
        fileprivate var skew: Double
        /// The session token of a temporary key, which goes with each request; nil for a lasting key.
        fileprivate var sessionToken: String?

        /// The answer to the request, without the secrets that a server may have repeated.
        func hide(_ answer: Answer) -> Answer { sessionToken.map { answer.hiding($0) } ?? answer }

        func hide(_ answer: TokenAnswer) -> TokenAnswer { sessionToken.map { answer.hiding($0) } ?? answer }
    }

    /// The key and everything else that a signature needs now; nil if there is no key.
    ///
    /// - Parameter now: the time by this machine's clock.
    /// - Returns: these, and a mark that identifies them later.
    func signing(at now: Moment) -> (S3Requests.Signing, Mark)? {
        guard let key else { return nil }
        let time = now.wall.addingTimeInterval(skew)
        let mark = Mark(key: keyName, region: region, skew: skew, sessionToken: key.sessionToken)
        return (.init(key: key, region: region, time: time), mark)
    }

    /// The source that must provide a key before anything can be signed; nil if there is a key.
    var asksFor: CredentialSource? { key == nil ? keys : nil }

    mutating func authorized(_ token: GrantedToken) {
        guard let key = token.accessKey else { return }
        self.key = key
        keyName = token.text
        rejected = nil
    }

    /// Records that the server accepts a request's key and time.
    mutating func accepted(_ mark: Mark) {
        if key != nil, keyName == mark.key { hasRenewedKey = false }
        if skew == mark.skew { hasSetClock = false }
    }

    /// The meaning of a refusal.
    enum Refusal: Sendable {
        /// The request may be accepted if it is signed again.
        case signAgain
        case final(TransferFailure)
        /// The refusal does not concern the signature.
        case other
    }

    /// Handles a refusal.
    ///
    /// - Parameters:
    ///   - error: the refusal.
    ///   - mark: what the request was signed with.
    ///   - server: for sentences.
    ///   - now: the time by this machine's clock.
    /// - Returns: what it means.
    mutating func refused(_ error: S3Error, _ mark: Mark, by server: String, now: Moment) -> Refusal {
        if let problem = error.keyProblem {
            guard problem == .wrongSecret || !renew(mark.key) else { return .signAgain }
            return .final(failure(problem, error, server))
        }
        if error.code == "RequestTimeTooSkewed" {
            return mark.skew == skew ? setClock(error, server, now) : .signAgain
        }
        guard error.saysElsewhere else { return .other }
        // Another request's answer has already led to a different region.
        if mark.region != region { return .signAgain }
        guard let region = error.region, region != self.region, redirects < Self.mostRedirects else { return .other }
        redirects += 1
        self.region = region
        return .signAgain
    }

    /// Drops a key that the server has refused, so that another is requested from its source, once.
    ///
    /// - Returns: whether another key is requested, or was since the request was signed.
    private mutating func renew(_ name: String) -> Bool {
        guard key != nil, keyName == name else { return true }
        guard !hasRenewedKey else { return false }
        hasRenewedKey = true
        rejected = name
        key = nil
        return true
    }

    /// Signs by the server's clock from now on, once.
    private mutating func setClock(_ error: S3Error, _ server: String, _ now: Moment) -> Refusal {
        guard let time = error.serverTime, !hasSetClock else {
            return .final(
                .init(
                    .accessKeyRefused,
                    "\(server) says that this machine's clock is wrong (RequestTimeTooSkewed), and signatures depend on it"
                )
            )
        }
        hasSetClock = true
        skew = time - now.wall.timeIntervalSince1970
        return .signAgain
    }

    private func failure(_ problem: S3Error.KeyProblem, _ error: S3Error, _ server: String) -> TransferFailure {
        let key = "the key of \(keys.words)"
        let detail =
            switch problem {
            case .expired: "\(key) has expired at \(server) (\(error.code))"
            case .unknown: "\(key) is not known at \(server) (\(error.code))"
            case .wrongSecret: "the secret does not match \(key) at \(server) (\(error.code))"
            }
        return .init(.accessKeyRefused, detail)
    }
}
