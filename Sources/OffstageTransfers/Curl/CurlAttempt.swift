// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
import OffstageCore

/// One attempt under way: what libcurl's callbacks see and change.
///
/// Only the engine's thread touches it.
final class CurlAttempt {
    /// Where the body of the response goes.
    enum BodyPlan {
        /// The response has not been looked at yet.
        case undecided
        /// To the file; `total` is the length the whole file will have.
        case file(total: Int64?)
        /// Its beginning belongs to the answer, the rest is dropped.
        case answer
        /// Nowhere: the attempt is being broken off.
        case refused
    }

    /// How user and password are sent.
    enum Authentication {
        case basic, digest
    }

    /// What is written to a file besides the download's own.
    enum SpooledBody {
        /// The body of an upload's response, while it arrives.
        case open(ResponseFile)
        /// All of it is on the disk.
        case whole(path: String)
    }

    let request: EngineRequest
    let handle: CurlHandle
    let turn: LoopTurn
    var head = HeadCollector()
    var plan = BodyPlan.undecided
    /// The final response's header fields, once they were looked at.
    var finalFields: [HeaderField]?
    /// What is sent; nil for a download.
    let body: BodyReader?
    /// Bytes of the whole upload, of which the body may be a part.
    private let uploadTotal: Int64?
    /// The byte that is written to the file, or read of the body, next.
    var position: Int64
    var bodyStart: [UInt8] = []
    /// Bytes of a body that does not go to a file.
    var answerBytes = 0
    /// Set where the attempt is broken off: it then decides, not libcurl's code for it.
    var verdict: AttemptResult?
    /// Set where the rest of an answer's body was not wanted.
    var hasReadEnough = false
    var allowance: Allowance
    /// Set while libcurl is told to pause for the bandwidth limit's sake.
    var pausedUntil: ContinuousClock.Instant?
    /// Bytes written since the attempt last let others have their turn; a tiny piece counts as more than it is.
    var turnBytes = 0
    /// Bytes written to a file since its disk's room was looked at.
    var bytesSinceRoom: Int64 = 0
    /// Bytes of the answer that are on the disk.
    var spooledBytes = 0
    /// How often libcurl has come round for this attempt in a turn of the loop.
    private var roundsOfTurn = (turn: 0, count: 0)
    /// Set once a redirect has led to another origin, for the rest of the attempt.
    var hasLeftOrigin = false
    /// Set once a redirect has turned the request into a GET, for the rest of the attempt.
    var isFetchingAnswer = false
    /// How much of an upload had been sent when a redirect turned it into a GET; nil if none has.
    var sentBeforeGet: Int64?
    var authentication = Authentication.basic
    /// Set where the server asks for digest authentication: the attempt is to be made once more, with it.
    var needsDigest = false
    /// Whether the server has answered before the final response, as with 100.
    var hasHeardInterim = false
    /// What the response's head wants to have settled first.
    var challenge: Challenge?
    /// What the server presents in TLS; nil where nobody would be asked about it.
    var certificates: ServerCertificates?
    var spooledBody: SpooledBody?
    /// What was set as the proxy; the host may be exempt from it.
    var proxy: String?
    /// The names of cookies that redirects have set.
    var renewedCookies: Set<String> = []

    private var reportedBytes: Int64
    private var seenActivity: Int64 = 0
    private var lastActivity: ContinuousClock.Instant

    /// How much of a body that goes nowhere is read, in bytes, before the connection is closed instead.
    static let answerReadLimit = 1_048_576
    /// libcurl reads on as long as the socket has more, two hundred megabytes if need be. After this many bytes the
    /// loop sees to the other attempts and to its orders.
    static let turnLimit = 33_554_432
    /// What a piece costs beside its bytes, as bytes: a server may send a file a byte a chunk.
    static let pieceCost = 4096
    /// How often libcurl may come round for one attempt in one turn: reading a proxy's answer, it does so for each byte
    /// and gives nobody else a turn before the socket is empty.
    static let roundLimit = 262_144
    /// A response whose body is longer is told about before it is whole, so that it can be resumed.
    static let worthTelling: Int64 = 1_048_576

    init(_ request: EngineRequest, handle: CurlHandle, turn: LoopTurn, now: ContinuousClock.Instant) {
        self.request = request
        self.handle = handle
        self.turn = turn
        body = request.body.map { .init($0, path: request.filePath, descriptor: request.fileDescriptor) }
        uploadTotal = request.spec.dialect == nil ? body?.count : request.spec.body?.count
        position = body == nil ? request.offset : 0
        reportedBytes = request.offset
        allowance = Allowance(limit: request.rateLimit.flatMap { $0 > 0 ? $0 : nil }, now: now)
        lastActivity = now
        if request.spec.credentials?.isForDigest == true { authentication = .digest }
    }

    var key: RequestKey { request.key }
    var isUpload: Bool { body != nil }

    /// The length of an upload's body.
    var bodySize: Int64 { body?.count ?? 0 }

    /// How much of the body has been sent.
    var sent: Int64 { sentBeforeGet ?? min(bodySize, handle.offset(of: CURLINFO_SIZE_UPLOAD_T)) }

    /// Whether the response has no body whatever its headers say (RFC 9110, section 6.4.1).
    var hasNoBody: Bool {
        request.spec.method == "HEAD" || head.status == 204 || head.status == 304
    }

    /// The byte of the file up to which everything has been written, or sent.
    var reached: Int64 {
        guard isUpload else { return position }
        return request.countsBody ? request.offset + sent : request.offset
    }

    private var total: Int64? {
        if isUpload { return uploadTotal }
        if case .file(let total) = plan { return total }
        return nil
    }

    /// Makes the attempt ready to be carried out once more, with another authentication.
    func rewind(for authentication: Authentication) {
        self.authentication = authentication
        needsDigest = false
        challenge = nil
        discardSpooledBody()
        pausedUntil = nil
        head = HeadCollector()
        plan = .undecided
        finalFields = nil
        position = isUpload ? 0 : request.offset
        bodyStart = []
        answerBytes = 0
        hasReadEnough = false
        hasLeftOrigin = false
        isFetchingAnswer = false
        sentBeforeGet = nil
        renewedCookies = []
    }

    /// Breaks the attempt off from within a callback.
    func refuse(_ result: AttemptResult) {
        if verdict == nil { verdict = result }
        plan = .refused
    }

    func refuse(_ failure: TransferFailure) {
        refuse(.failed(failure))
    }
}

// Progress and silence.
extension CurlAttempt {
    /// How far the attempt has got, if that is news. Also notes whether it is alive.
    func progress(now: ContinuousClock.Instant) -> EngineProgress? {
        let reached = reached
        let activity = (isUpload ? sent : reached) + position + Int64(head.total + answerBytes)
        if activity != seenActivity {
            seenActivity = activity
            lastActivity = now
        }
        guard reached != reportedBytes else { return nil }
        if !isUpload, case .undecided = plan { return nil }
        reportedBytes = reached
        return EngineProgress(key: request.key, bytesDone: reached, bytesTotal: total)
    }

    /// When the attempt counts as dead unless a byte moves. The silence of a pause is our own.
    var silenceDeadline: ContinuousClock.Instant {
        (pausedUntil ?? lastActivity) + .seconds(allowedSilence)
    }

    /// Seconds: until the first byte, a longer connection timeout counts.
    private var allowedSilence: Double {
        let spec = request.spec
        let isStarting = head.total == 0 && (isUpload ? sent == 0 : reached == reportedBytes)
        return isStarting ? max(spec.idleTimeout, spec.connectTimeout ?? 0) : spec.idleTimeout
    }

    var silenceFailure: TransferFailure {
        TransferFailure(
            .idleTimeout,
            "no byte was exchanged with \(serverName)\(CurlFailureMapping.way(by: proxyAddress)) for \(Transfer.duration(allowedSilence))"
        )
    }

    /// Notes bytes that were written, as far as the bandwidth and the others' turns are concerned.
    func spend(_ count: Int) {
        allowance.spend(count)
        turnBytes += max(count, Self.pieceCost)  // checked: bytes in memory, until the next turn
    }

    /// Whether it is time to look how much room the disk has.
    func isTimeToLookForRoom(_ count: Int) -> Bool {
        bytesSinceRoom += Int64(count)  // checked: bytes in memory, until the interval is full
        guard bytesSinceRoom >= DiskReserve.checkInterval else { return false }
        bytesSinceRoom = 0
        return true
    }

    /// libcurl comes round. False where it would do so without end.
    func comeRound() -> Bool {
        if roundsOfTurn.turn != turn.number { roundsOfTurn = (turn.number, 0) }
        roundsOfTurn.count += 1
        guard roundsOfTurn.count > Self.roundLimit else { return true }
        refuse(.init(.proxyFailed, "the proxy's answer is endless"))
        return false
    }

    /// Why the attempt is ended while libcurl reads and drops the body of a redirect; nil to let it.
    var droppedBodyFailure: TransferFailure? {
        guard (300..<400).contains(head.status), head.isComplete, case .undecided = plan,
            handle.offset(of: CURLINFO_SIZE_DOWNLOAD_T) > Int64(Self.answerReadLimit)  // checked: our own number
        else { return nil }
        return .init(.badServerResponse, "\(serverName) redirects with an endless body")
    }

    /// Goes on after the others have had their turn.
    func goOn() {
        turnBytes = 0
        handle.resume()
    }

    /// Asks for a pause until the allowance is refilled; the loop ends it.
    func pause(now: ContinuousClock.Instant) {
        pausedUntil = allowance.refilled(now: now)
    }

    /// Ends a pause. The callback that asked for it is called again, perhaps within this call, and may ask anew.
    func resume(now: ContinuousClock.Instant) {
        pausedUntil = nil
        lastActivity = now
        handle.resume()
    }

    /// Changes the limit at once.
    func setRateLimit(_ limit: Int64?, now: ContinuousClock.Instant) {
        allowance.setLimit(limit.flatMap { $0 > 0 ? $0 : nil }, now: now)
        if pausedUntil != nil { resume(now: now) }
    }

    /// The host and port that was talked to last, after redirects.
    var serverName: String { serverURL.hostKey }

    /// The proxy that the request goes to; nil for none.
    var proxyAddress: ProxyAddress? {
        request.spec.proxy.exempts(serverURL.host) ? nil : proxy.flatMap(ProxyAddress.init)
    }

    /// What was asked for last.
    var serverURL: RequestURL {
        handle.string(of: CURLINFO_EFFECTIVE_URL).flatMap { try? RequestURL($0) } ?? request.spec.url
    }
}
