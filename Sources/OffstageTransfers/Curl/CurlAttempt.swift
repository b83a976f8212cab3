// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
import OffstageCore

/// One running attempt: the state that libcurl's callbacks read and change.
///
/// Only the engine's thread touches it.
final class CurlAttempt {
    let request: EngineRequest
    let handle: CurlHandle
    let turn: LoopTurn
    /// The body to send; nil for a download.
    let body: BodyReader?
    // Unchecked: libcurl calls back for every 16 KiB, and checking exclusive access at run time would be noticeable.
    @exclusivity(unchecked) var response = IncomingResponse()
    /// The next byte to write to the file, or to read from the body.
    @exclusivity(unchecked) var position: Int64
    @exclusivity(unchecked) var room = RoomWatch()
    @exclusivity(unchecked) var pace: AttemptPace
    var spool: AnswerSpool
    private var activity: AttemptActivity
    var trail = RedirectTrail()
    var manner = RequestManner()
    /// The certificates that the server presents in TLS; nil if no app would be asked about them.
    var certificates: ServerCertificates?
    /// The byte before which a download's request ends, though its response may continue; nil for the response's end.
    @exclusivity(unchecked) private(set) var end: Int64?
    /// Set if the attempt is broken off: this result then counts, not libcurl's code.
    private(set) var verdict: AttemptResult?

    /// A response whose body is longer than this, in bytes, is reported before it is complete, so that it can be
    /// resumed.
    static let worthTelling: Int64 = 1_048_576

    init(_ request: EngineRequest, handle: CurlHandle, turn: LoopTurn, now: ContinuousClock.Instant) {
        self.request = request
        self.handle = handle
        self.turn = turn
        body = request.body.map { .init($0, path: request.filePath, descriptor: request.fileDescriptor) }
        end = request.pieceEnd
        position = body == nil ? request.offset : 0
        spool = AnswerSpool(turn.spools)
        pace = AttemptPace(limit: request.rateLimit, now: now)
        activity = AttemptActivity(offset: request.offset, now: now)
        if request.spec.credentials?.isForDigest == true { manner.authentication = .digest }
        if turn.brokenStreams.concerns(request.key) { manner.use(.oneOne) }
    }

    var key: RequestKey { request.key }
    var isUpload: Bool { body != nil }

    /// The length of an upload's body.
    var bodySize: Int64 { body?.count ?? 0 }

    /// How much of the body has been sent.
    var sent: Int64 { trail.sentBeforeGet ?? min(bodySize, handle.offset(of: CURLINFO_SIZE_UPLOAD_T)) }

    /// Whether the response has no body, whatever its headers say (RFC 9110, section 6.4.1).
    var hasNoBody: Bool {
        request.spec.method == "HEAD" || response.head.status == 204 || response.head.status == 304
    }

    /// The byte of the file up to which everything has been written or sent.
    var reached: Int64 {
        guard isUpload else { return position }
        return request.countsBody ? request.offset + sent : request.offset
    }

    /// The same for an attempt that has ended.
    ///
    /// libcurl forgets how much it has sent when a reused connection ends without an answer. A dialect then needs to
    /// know how much may have arrived: everything that libcurl was given.
    func reached(with result: AttemptResult) -> Int64 {
        guard case .failed = result, isUpload, request.countsBody, !request.sendsBodyAgain else { return reached }
        return request.offset + position  // checked: not more than the file's size
    }

    private var total: Int64? {
        // The body of a dialect's request may be only a part of the whole upload.
        if isUpload { return request.spec.dialect == nil ? body?.count : request.spec.body?.count }
        // A piece does not reveal the length of the file.
        if request.pieceEnd == nil, case .file(let total) = response.plan { return total }
        return nil
    }

    /// Whether everything before `end` is written, and the response continues.
    var hasReachedEnd: Bool {
        guard let end, position >= end, case .file(let total) = response.plan else { return false }
        return total.map { end < $0 } ?? true
    }

    /// Sets the byte before which the request ends.
    ///
    /// - Returns: the answer, if the request is over now.
    func setEnd(_ end: Int64) -> Answer? {
        self.end = end
        return hasReachedEnd ? answer : nil
    }

    /// Prepares the attempt to run once more with another authentication scheme.
    func rewind(for authentication: RequestManner.Authentication) {
        manner.authentication = authentication
        rewind()
    }

    /// Prepares the attempt to run once more over another version of HTTP.
    func rewind(over version: RequestManner.Version) {
        manner.use(version)
        verdict = nil
        rewind()
    }

    private func rewind() {
        spool.discard()
        pace.endPause()
        response.beginAgain()
        position = isUpload ? 0 : request.offset
        trail = RedirectTrail()
    }

    /// Breaks the attempt off from within a callback.
    func refuse(_ result: AttemptResult) {
        if verdict == nil { verdict = result }
        response.plan = .refused
    }

    func refuse(_ failure: TransferFailure) {
        refuse(.failed(failure))
    }
}

// Progress and silence.
extension CurlAttempt {
    /// The attempt's progress, if it has changed. Also records whether the attempt is alive.
    func progress(now: ContinuousClock.Instant) -> EngineProgress? {
        let reached = reached
        let moved = (isUpload ? sent : reached) + position + Int64(response.head.total + response.bodyBytes)
        activity.record(moved, now: now)
        guard reached != activity.reported, isUpload || !response.isUndecided else { return nil }
        activity.report(reached)
        return EngineProgress(key: request.key, bytesDone: reached, bytesTotal: total)
    }

    /// When the attempt counts as dead unless a byte moves. Silence during a pause is not the server's.
    var silenceDeadline: ContinuousClock.Instant {
        (pace.pausedUntil ?? activity.last) + .seconds(allowedSilence)
    }

    /// The allowed silence, in seconds. Until the first byte, a longer connection timeout counts.
    private var allowedSilence: Double {
        let spec = request.spec
        let isStarting = response.head.total == 0 && (isUpload ? sent == 0 : reached == activity.reported)
        return isStarting ? max(spec.idleTimeout, spec.connectTimeout ?? 0) : spec.idleTimeout
    }

    var silenceFailure: TransferFailure {
        TransferFailure(
            .idleTimeout,
            "no byte was exchanged with \(serverName)\(CurlFailureMapping.way(by: proxyAddress)) for \(String(duration: allowedSilence))"
        )
    }

    /// Counts a progress callback of libcurl. False if the callbacks would not end.
    func comeRound() -> Bool {
        if pace.comeRound(inTurn: turn.number) { return true }
        refuse(.init(.proxyFailed, "the proxy's answer is endless"))
        return false
    }

    /// Why the attempt must end while libcurl reads and drops the body of a redirect; nil to let it continue.
    var droppedBodyFailure: TransferFailure? {
        guard (300..<400).contains(response.head.status), response.head.isComplete, response.isUndecided,
            handle.offset(of: CURLINFO_SIZE_DOWNLOAD_T) > Int64(IncomingResponse.readLimit)  // checked: our own number
        else { return nil }
        return .init(.badServerResponse, "\(serverName) redirects with an endless body")
    }

    /// Continues after the other attempts have had their turn.
    func goOn() {
        pace.beginTurn()
        handle.resume()
    }

    /// Ends a pause. The callback that requested it is called again, perhaps within this call, and may request another.
    func resume(now: ContinuousClock.Instant) {
        pace.endPause()
        activity.touch(now: now)
        handle.resume()
    }

    /// Changes the limit immediately.
    func setRateLimit(_ limit: Int64?, now: ContinuousClock.Instant) {
        pace.setLimit(limit, now: now)
        if pace.pausedUntil != nil { resume(now: now) }
    }

    /// The host and port of the most recent request, after redirects.
    var serverName: String { serverURL.hostKey }

    /// The proxy that the request goes to; nil for none.
    var proxyAddress: ProxyAddress? {
        request.spec.proxy.exempts(serverURL.host) ? nil : trail.proxy.flatMap(ProxyAddress.init)
    }

    /// The URL of the most recent request.
    var serverURL: RequestURL {
        handle.string(of: CURLINFO_EFFECTIVE_URL).flatMap { try? RequestURL($0) } ?? request.spec.url
    }
}
