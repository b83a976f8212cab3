// SPDX-License-Identifier: Apache-2.0

/// The part of Dropbox that uploading needs: accounts, tokens, upload sessions and files, as documented.
///
/// A value without I/O: the edge reads requests and keeps bytes, the time is passed in as seconds since 1970, and
/// random values come from a seed. A request is handled in two steps: `begin` takes its head and decides what is done
/// with the body, `finish` takes the received body and decides the answer. All effects happen at once, in `finish`.
package struct EmulatedDropbox: Sendable {
    package var rules: DropboxRules
    package var faults = DropboxFaultPlan()
    package internal(set) var record = EmulatorRecord()
    var oauth: EmulatedOAuth
    var accounts: [String: EmulatedAccount] = [:]
    var uploads = UploadSessions()
    var segments = SegmentReferences()
    /// Links for uploads without a token, by name.
    var links: [String: TemporaryLink] = [:]
    /// The beginning of every link: `http://127.0.0.1:1234`.
    package var address = ""
    /// Results of finish_batch that have not been fetched.
    var jobs: [String: [EmulatorJSON]] = [:]
    var random: SeededNumbers
    private var number = 0
    let seed: UInt64
    private let firstRules: DropboxRules
    /// The time before which no client should call, since a 429 said so.
    private var quietUntil: Double = 0

    /// The default account.
    package static let mainAccount = "main"
    /// All permissions of the emulator's apps.
    package static let scopes = [
        "account_info.read", "files.content.read", "files.content.write", "files.metadata.read",
        "files.metadata.write",
    ]

    /// - Parameters:
    ///   - rules: limits, speeds, and the choices that the documentation leaves open.
    ///   - apps: app keys with their secrets, empty for an app without one; an empty dictionary accepts any app key.
    ///   - seed: the seed of identifiers and tokens.
    package init(rules: DropboxRules = DropboxRules(), apps: [String: String] = [:], seed: UInt64 = 1) {
        self.rules = rules
        firstRules = rules
        oauth = EmulatedOAuth(apps: apps)
        self.seed = seed
        random = SeededNumbers(seed: seed)
    }

    /// Handles a request's head: counts it, chooses its fault, and plans what to do with the body.
    package mutating func begin(_ request: EmulatorRequest, now: Double) -> EmulatorCall {
        number += 1
        var call = EmulatorCall(request: request, route: EmulatorRoute(path: request.path), number: number)
        guard let route = call.route else { return call }
        record.calls[route.rawValue, default: 0] += 1
        if now < quietUntil { record.callsBeforeRetryAfter += 1 }
        call.fault = faults.next(route, length: request.header("Content-Length").flatMap { Int64($0) })
        uploads.removeExpired(now, lifetime: rules.sessionLifetime, &segments)
        if route.style == .upload || route.style == .download, request.hasRawDelete { record.rawDeleteCharacters += 1 }
        switch route.style {
        case .rpc, .oauth: call.needsBytes = true
        case .link: call.parts = [EmulatorCall.Part(hasher: ContentHasher(), base: 0)]
        case .download: call.argument = request.headerArgument(route)
        case .upload:
            call.argument = request.headerArgument(route)
            if case .success(let argument) = call.argument { call.parts = plan(argument, route) }
        }
        return call
    }

    /// Handles a request whose body has been received in full or in part.
    package mutating func finish(_ call: EmulatorCall, _ body: ReceivedBody, now: Double) -> EmulatorOutcome {
        uploads.removeExpired(now, lifetime: rules.sessionLifetime, &segments)
        record(call, body)
        var outcome = EmulatorOutcome(delay: rules.latency)
        if case .slow(let latency, _)? = call.fault { outcome.delay += latency }
        if body.isWhole {
            outcome.reply = reply(call, body, now)
        } else {
            keepPrefix(call, body)
        }
        outcome.reply?.headers.append(("X-Dropbox-Request-Id", requestID(call)))
        if let route = call.route {
            let status = outcome.reply.map { String($0.status) } ?? "lost"
            record.answers[route.rawValue, default: [:]][status, default: 0] += 1
        }
        if let segment = body.segment { segments.drop(segment) }
        outcome.released = segments.takeReleased()
        return outcome
    }

    /// Forgets files, sessions, tokens, faults and the record. Keeps the rules, and never reuses the name of a
    /// forgotten token, session or segment: one that a client still holds must not become valid again.
    ///
    /// - Returns: the segments that are no longer needed.
    package mutating func reset() -> [String] {
        let segments = segments.all
        let (address, rules, random, number) = (address, rules, random, number)
        self = EmulatedDropbox(rules: firstRules, apps: oauth.apps, seed: seed)
        self.address = address
        self.rules = rules
        self.random = random
        self.number = number
        return segments
    }

    /// Restores the initial rules.
    package mutating func restoreRules() { rules = firstRules }

    /// All files of an account, sorted by path.
    package func files(account: String = mainAccount) -> [EmulatedFile] {
        (accounts[account]?.files ?? [:]).sorted { $0.key < $1.key }.map(\.value)
    }

    /// The file at a path of an account, case-insensitively.
    package func file(_ path: String, account: String = mainAccount) -> EmulatedFile? {
        accounts[account]?.files[path.lowercased()]
    }

    package mutating func recordSink(_ bytes: Int64) { record.sinkBytes += bytes }

    // MARK: Answers

    /// The answer; nil if a fault suppresses it.
    private mutating func reply(_ call: EmulatorCall, _ body: ReceivedBody, _ now: Double) -> EmulatorReply? {
        switch call.fault {
        case nil, .slow?, .cut?: return carryOut(call, body, now)
        case .lostBefore?: return nil
        case .lostAfter?:
            _ = carryOut(call, body, now)
            return nil
        case .lostBetween?:
            if call.route == .finish { keepBytes(call, body) } else { _ = carryOut(call, body, now) }
            return nil
        case .incorrectOffset(let told)?: return wrongOffset(call, told: told) ?? carryOut(call, body, now)
        case .incorrectOffsetBy(let distance)?:
            let size = call.sessionID.flatMap { uploads[$0]?.size } ?? 0
            let (sum, isTooFar) = size.addingReportingOverflow(distance)
            return wrongOffset(call, told: isTooFar ? .max : max(0, sum)) ?? carryOut(call, body, now)
        case .rateLimited(let seconds, let plain, let reason)?:
            // A shorter wait does not shorten an earlier, longer one.
            quietUntil = max(quietUntil, now + Double(seconds))
            return .tooMany(seconds, plain: plain, reason: reason, dots: dots)
        case .unauthorized(let tag)?: return unauthorized(call, tag, now)
        case .status(let status, let text, let effect)?:
            if effect { _ = carryOut(call, body, now) }
            let type = text.hasPrefix("{") ? "application/json" : "text/plain; charset=utf-8"
            return .text(text, status: status, type: type)
        case .error(let error, let effect)?:
            if effect { _ = carryOut(call, body, now) }
            return DropboxRefusal.route(error).reply(dots: dots)
        case .sessionLost?:
            if let id = call.sessionID { uploads.forget(id, &segments) }
            return carryOut(call, body, now)
        case .sessionClosed?:
            if let id = call.sessionID { uploads.close(id) }
            return carryOut(call, body, now)
        }
    }

    private mutating func carryOut(_ call: EmulatorCall, _ body: ReceivedBody, _ now: Double) -> EmulatorReply {
        do throws(DropboxRefusal) {
            return try answer(call, body, now)
        } catch {
            return error.reply(dots: dots)
        }
    }

    private func wrongOffset(_ call: EmulatorCall, told: Int64) -> EmulatorReply? {
        let error = EmulatorJSON.tag("incorrect_offset", ["correct_offset": .integer(told)])
        switch call.route {
        case .append?: return DropboxRefusal.route(error).reply(dots: dots)
        case .finish?: return DropboxRefusal.route(.tag("lookup_failed", nesting: error)).reply(dots: dots)
        default: return nil
        }
    }

    private mutating func unauthorized(_ call: EmulatorCall, _ tag: String, _ now: Double) -> EmulatorReply {
        if tag == "expired_access_token", let token = EmulatedOAuth.bearer(call.request) {
            oauth.expire(token, at: now)
        }
        let scope = call.route?.scope ?? "files.content.write"
        let fields: [String: EmulatorJSON] = tag == "missing_scope" ? ["required_scope": .string(scope)] : [:]
        return DropboxRefusal.unauthorized(.tag(tag, fields)).reply(dots: dots)
    }

    /// The end of `error_summary` after the tags: no dot, one or two, so that no client relies on it.
    private var dots: String { String(repeating: ".", count: number % 3) }

    private func requestID(_ call: EmulatorCall) -> String {
        var random = SeededNumbers(seed: seed ^ UInt64(truncatingIfNeeded: call.number))
        let digits = String(random.next(), radix: 16) + String(random.next(), radix: 16)
        return String(repeating: "0", count: max(0, 32 - digits.count)) + digits
    }
}
