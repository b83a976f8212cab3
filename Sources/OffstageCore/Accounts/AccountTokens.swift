// SPDX-License-Identifier: Apache-2.0

/// The rule for one account's tokens: which request receives the present one, when it is renewed, and the effect of a
/// refused renewal. All requests share one renewal.
///
/// A value that does no I/O and reads no clock.
package struct AccountTokens: Sendable {
    /// The caller's number for a request.
    package typealias Waiter = UInt64

    package enum Event: Sendable {
        /// A request needs a token.
        ///
        /// - Parameter rejecting: a token that the service did not accept, if any.
        case asked(Waiter, rejecting: String? = nil)
        /// The answer to `refresh`.
        case refreshed(TokenAnswer.Verdict)
        /// The grant of `save` is durable, or cannot become so in this daemon's life.
        case saved
        /// No more tokens are issued.
        case closed(TransferFailure)
    }

    package enum Action: Sendable, Equatable {
        /// Asks the service for a new access token. Answered with `refreshed`.
        case refresh(String)
        /// Stores the grant, replacing the former one. Answered with `saved`.
        case save(AccountGrant)
        /// Gives up the grant, and notifies people.
        case needSignIn(SignInReason)
        case answer([Waiter], token: String)
        case refuse([Waiter], TransferFailure)
    }

    private enum Phase: Sendable {
        case resting
        case refreshing
        /// A new refresh token is being written to the disk: the old one may no longer be valid.
        case saving
    }

    /// The account, for sentences.
    private let name: String
    /// Nil if a person must sign in.
    package private(set) var grant: AccountGrant?
    /// Why a person must sign in; nil if that is not needed.
    package private(set) var reason: SignInReason?
    private var phase = Phase.resting
    /// Until when the service refuses requests, and its failure.
    private var patience: (end: Deadline, failure: TransferFailure)?
    private var waiting: [(waiter: Waiter, rejecting: String?)] = []

    /// How many seconds before its expiry an access token is renewed.
    package static let refreshLead = 300.0

    package init(name: String, grant: AccountGrant) {
        self.name = name
        self.grant = grant
    }

    package init(name: String, needsSignIn reason: SignInReason) {
        self.name = name
        self.reason = reason
    }

    /// Handles an event.
    ///
    /// - Returns: the actions, in order.
    package mutating func handle(_ event: Event, now: Moment) -> [Action] {
        switch event {
        case .asked(let waiter, let rejecting): asked(waiter, rejecting, now)
        case .refreshed(let verdict): refreshed(verdict, now)
        case .saved: saved()
        case .closed(let failure): refuseAll(failure)
        }
    }

    private mutating func asked(_ waiter: Waiter, _ rejecting: String?, _ now: Moment) -> [Action] {
        guard let grant else { return [.refuse([waiter], .signInNeeded(name, reason ?? .revoked))] }
        guard case .resting = phase else {
            waiting.append((waiter, rejecting))
            return []
        }
        let isGood = grant.accessToken != rejecting
        let lead = grant.refreshToken == nil ? 0 : Self.refreshLead
        if isGood, grant.remaining(at: now) > lead { return [.answer([waiter], token: grant.accessToken)] }
        // The key is kept: it may be unknown in one region only, and a server's answer alone must not destroy a
        // person's secret.
        guard grant.accessKey == nil else { return [.refuse([waiter], .signInNeeded(name, .keyRefused))] }
        guard let refreshToken = grant.refreshToken else {
            return giveUp(.expired) + [.refuse([waiter], .signInNeeded(name, .expired))]
        }
        if let patience, !patience.end.isDue(at: now) {
            if isGood, grant.remaining(at: now) > 0 { return [.answer([waiter], token: grant.accessToken)] }
            var failure = patience.failure
            failure.retryAfter = patience.end.remaining(at: now)
            return [.refuse([waiter], failure)]
        }
        waiting.append((waiter, rejecting))
        phase = .refreshing
        return [.refresh(refreshToken)]
    }

    private mutating func refreshed(_ verdict: TokenAnswer.Verdict, _ now: Moment) -> [Action] {
        guard case .refreshing = phase, let old = grant else { return [] }
        phase = .resting
        patience = nil
        switch verdict {
        case .granted(var new, _):
            let isRotated = new.refreshToken != nil && new.refreshToken != old.refreshToken
            new.refreshToken = new.refreshToken ?? old.refreshToken
            grant = new
            if isRotated {
                phase = .saving
                return [.save(new)]
            }
            return [.save(new)] + answerAll(new.accessToken)
        case .refused: return giveUp(.revoked) + refuseAll(.signInNeeded(name, .revoked))
        case .failed(let failure):
            patience = failure.retryAfter.map { (Deadline(setAt: now, delay: $0), failure) }
            // After an early renewal the present token may still be valid for some minutes.
            let isAlive = old.remaining(at: now) > 0
            let lucky = waiting.filter { isAlive && $0.rejecting != old.accessToken }.map(\.waiter)
            waiting.removeAll { isAlive && $0.rejecting != old.accessToken }
            return (lucky.isEmpty ? [] : [.answer(lucky, token: old.accessToken)]) + refuseAll(failure)
        }
    }

    private mutating func saved() -> [Action] {
        guard case .saving = phase, let grant else { return [] }
        phase = .resting
        return answerAll(grant.accessToken)
    }

    private mutating func giveUp(_ reason: SignInReason) -> [Action] {
        grant = nil
        self.reason = reason
        return [.needSignIn(reason)]
    }

    private mutating func answerAll(_ token: String) -> [Action] {
        defer { waiting = [] }
        return waiting.isEmpty ? [] : [.answer(waiting.map(\.waiter), token: token)]
    }

    private mutating func refuseAll(_ failure: TransferFailure) -> [Action] {
        defer { waiting = [] }
        return waiting.isEmpty ? [] : [.refuse(waiting.map(\.waiter), failure)]
    }
}
