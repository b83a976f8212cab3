// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore

/// An upload to S3: in one request if the file is small, otherwise in parts, several at once, which the last request
/// combines into an object (https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html).
///
/// The state needed after a crash is in `notes`. The server lists the parts that it has, so these are not sent again.
/// The object carries a marker of this upload: if the answer to the last request was lost, the marker of the existing
/// object shows whether this upload made it.
package struct S3Upload: UploadDialect {
    package static let name = S3Parameters.dialect

    let requests: S3Requests
    /// The stored state.
    var notes: S3Memory
    /// How the file is divided into parts; nil if it is sent in one request.
    private let plan: PartPlan?
    private(set) var parts: StoredParts
    /// Digests of parts that have not arrived yet; the digest of a file sent in one request is under 1.
    private var digests: [Int: [UInt8]] = [:]
    /// The request under way in each lane.
    private(set) var underway: [Int: Underway] = [:]
    var signer: S3Signer
    private let madeAt: Moment
    var tries = Tries()
    var patience = ServerPatience()
    /// Whether the existing object must be examined, to see which upload made it.
    var mustLook = false
    /// A useless upload that the server must still forget; nil if there is none.
    var abandoned: String?
    /// How the attempt ends once no request is under way; nil while it continues.
    var end: DialectStep?

    /// A request under way, with its upload and its signature: an answer about another upload does not apply to the
    /// current one.
    struct Underway: Sendable {
        var call: S3Call
        var upload: String?
        var mark: S3Signer.Mark
    }

    /// Counts steps that must not be repeated forever.
    struct Tries {
        /// How often the parts differed from the server's list.
        var invalidParts = 0
        /// How often the body of a part was refused, by its number.
        var refusedBodies: [Int: Int] = [:]

        static let mostOfOnePart = 3
    }

    /// How many parts are sent at once, unless the owner specifies a number. More would not be faster if each
    /// connection is slow, and would starve other transfers if connections are fast.
    static let usualConnections = 8
    /// The largest file that is sent in one request, in bytes.
    static let oneRequestLimit: Int64 = 8 << 20

    package init(_ spec: TransferSpec, memory: [UInt8]?, now: Moment) throws(RequestError) {
        guard let dialect = spec.dialect, case .upload(let source) = spec.direction else {
            throw .invalidValue("S3 accepts one file as an object: hand over each one separately")
        }
        let parameters = try S3Parameters(dialect)
        requests = try S3Requests(parameters, spec, source: source)
        notes = S3Memory(memory, source: source.identity) ?? S3Memory(source: source.identity)
        signer = S3Signer(parameters.object.keys, region: notes.region ?? parameters.endpoint.region)
        madeAt = now
        let size = source.identity.size
        if let upload = notes.upload {
            plan = PartPlan(size: size, partSize: upload.partSize)
        } else if size <= Self.oneRequestLimit {
            plan = nil
        } else if let plan = PartPlan(size: size, limit: parameters.partLimit),
            S3Parameters.partSizes.contains(plan.partSize)
        {
            self.plan = plan
        } else {
            throw .invalidValue(
                "A file of \(size) bytes does not fit into \(parameters.partLimit) parts of at most \(S3Parameters.partSizes.upperBound) bytes: allow more with --max-parts, if the endpoint does"
            )
        }
        parts = StoredParts(notes.upload == nil ? .complete : .after(0))
    }

    package static func options(of spec: TransferSpec) -> String? {
        guard let dialect = spec.dialect, let parameters = try? S3Parameters(dialect) else { return nil }
        let words = [parameters.leavesExisting ? "not over another object" : nil, parameters.storageClass]
        return (parameters.object.summary + words.compactMap(\.self)).joined(separator: ", ")
    }

    package static func account(of spec: TransferSpec) throws(RequestError) -> String? {
        try spec.dialect.map { dialect throws(RequestError) in try S3Object(dialect).account } ?? nil
    }

    package static func settled(_ spec: TransferSpec, for account: Account?) throws(RequestError) -> TransferSpec {
        guard let dialect = spec.dialect else { return spec }
        var spec = spec
        var parameters = try S3Parameters(dialect)
        if let account {
            parameters.object = parameters.object.at(account)
            spec.dialect = try parameters.dialectSpec()
        }
        spec.url = try parameters.url()
        spec.method = "PUT"
        return spec
    }

    var parameters: S3Parameters { requests.parameters }
    var size: Int64 { requests.source.identity.size }
    var region: String { signer.region }
    /// The object, for sentences.
    var place: String { parameters.location.text }
    /// The server, for sentences.
    var server: String { requests.url(in: region).hostKey }

    package var lanes: Int {
        guard let plan else { return 1 }
        return min(parameters.connections ?? Self.usualConnections, plan.count)
    }

    /// A key is not sent to any of these places; the requests that it signs are.
    package var tokenPlaces: [String] { [requests.url(in: region).origin] }

    // MARK: - The next step

    package mutating func next(now: Moment) -> DialectStep {
        let signing = signer.signing(at: now)
        if let end, abandoned == nil || signing == nil { return underway.isEmpty ? end : .wait }
        guard let (signing, mark) = signing else {
            return .authorize(parameters.object.keys, rejecting: signer.rejected)
        }
        guard let (call, lane) = plannedCall() else { return .wait }
        if let (number, range) = bytes(of: call), digests[number] == nil {
            guard range.isEmpty else { return .hash(SourceDigest(.sha256, of: range)) }
            digests[number] = SignatureV4.digest([])
        }
        if call == .complete { notes.mayBeThere = true }
        underway[lane] = Underway(call: call, upload: notes.upload?.id, mark: mark)
        var request = request(call, signing)
        request.lane = lane
        return .send(request)
    }

    /// The next call and its lane; nil while other calls' answers are awaited.
    private func plannedCall() -> (S3Call, lane: Int)? {
        if let abandoned { return underway.isEmpty ? (.abort(abandoned), 0) : nil }
        guard let plan else { return underway.isEmpty ? (mustLook ? .head : .put, 0) : nil }
        if mustLook || notes.upload == nil || parts.listing != .complete {
            guard underway.isEmpty else { return nil }
            if mustLook { return (.head, 0) }
            guard notes.upload != nil, case .after(let part) = parts.listing else { return (.create, 0) }
            return (.list(after: part), 0)
        }
        if let part = nextPart(plan) {
            return (0..<lanes).first { underway[$0] == nil }.map { (.part(part), $0) }
        }
        return underway.isEmpty ? (.complete, 0) : nil
    }

    /// The first part that has not arrived and is not under way. Behind the first missing part, only as many parts have
    /// arrived as there are lanes.
    private func nextPart(_ plan: PartPlan) -> Int? {
        guard parts.firstMissing <= plan.count else { return nil }
        return (parts.firstMissing...plan.count).first { !parts.contains($0) && !isUnderWay(.part($0)) }
    }

    private func isUnderWay(_ call: S3Call) -> Bool { underway.values.contains { $0.call == call } }

    /// The bytes of the file that a call carries, and the number under which their digest is kept.
    private func bytes(of call: S3Call) -> (Int, Range<Int64>)? {
        switch call {
        case .put: (1, 0..<size)
        case .part(let number): plan?.range(of: number).map { (number, $0) }
        case .create, .list, .complete, .abort, .head: nil
        }
    }

    private func request(_ call: S3Call, _ signing: S3Requests.Signing) -> DialectRequest {
        let upload = notes.upload?.id ?? ""
        switch call {
        case .put: return requests.put(digests[1] ?? [], signing)
        case .create: return requests.create(signing)
        case .list(let part): return requests.list(upload, after: part, signing)
        case .part(let number):
            return requests.part(
                number,
                plan?.range(of: number) ?? 0..<0,
                digests[number] ?? [],
                of: upload,
                signing
            )
        case .complete:
            return requests.complete(upload, parts.all, signing)
        case .abort(let upload): return requests.abort(upload, signing)
        case .head: return requests.head(signing)
        }
    }

    // MARK: - Answers and other events

    package mutating func answered(_ answer: Answer, lane: Int, now: Moment) {
        guard let request = underway.removeValue(forKey: lane) else { return }
        answered(request, request.mark.hide(answer), now: now)
    }

    package mutating func broke(
        _ failure: TransferFailure,
        lane: Int,
        sent: Int64,
        now: Moment
    ) -> TransferFailure {
        underway[lane] = nil
        // The earlier decision counts, not another request, or the one that aborts the upload, that broke after it.
        if case .fail(let decided)? = end { return decided }
        return failure
    }

    package mutating func hashed(_ bytes: [UInt8], _ digest: SourceDigest) {
        guard let plan else {
            digests[1] = bytes
            return
        }
        // checked: a part is not empty
        let number = Int(clamping: digest.range.lowerBound / plan.partSize) + 1
        if plan.range(of: number) == digest.range { digests[number] = bytes }
    }

    package mutating func authorized(_ token: GrantedToken) { signer.authorized(token) }

    package mutating func denied(_ failure: TransferFailure) -> TransferFailure {
        // An answer has decided the end while the key was requested.
        if case .fail(let decided)? = end { return decided }
        return failure
    }

    // MARK: - For the answers

    /// How many bytes of the file a part has; nil if there is no such part.
    func size(of part: Int) -> Int64? { plan?.range(of: part).map { Int64($0.count) } }

    /// Whether the existing object may be from this upload: the request that makes it may have been sent.
    var mayBeThere: Bool { plan == nil || notes.mayBeThere }

    /// Whether an answer states the SHA-256 of an object other than the file that was sent in one request.
    func contradicts(_ answer: Answer) -> Bool {
        guard plan == nil, let own = digests[1],
            answer.headers["x-amz-checksum-type"] ?? "FULL_OBJECT" == "FULL_OBJECT",
            let stated = answer.headers[S3Parameters.checksumField].flatMap({ Data(base64Encoded: $0) })
        else { return false }
        // Any other value is not a SHA-256.
        return stated.count == 32 && Array(stated) != own
    }

    /// The parts of a new upload.
    var partSize: Int64? { plan?.partSize }
    var partCount: Int { plan?.count ?? 0 }

    /// Records up to which part the server's list is known.
    mutating func listed(_ listing: StoredParts.Listing) {
        parts.listing = listing
        updateStored()
    }

    /// Records that the server has a part.
    mutating func took(_ number: Int, _ part: StoredParts.Part) {
        guard let count = size(of: number) else { return }
        parts.insert(number, part, bytes: count)
        digests[number] = nil
        updateStored()
    }

    private mutating func updateStored() {
        if parts.listing == .complete { notes.upload?.stored = parts.bytes }
    }

    /// The digest of a part that was sent, as the server keeps it.
    func checksum(of part: Int) -> String? {
        parameters.usesChecksums ? digests[part].map { Data($0).base64EncodedString() } : nil
    }

    /// Drops a digest that does not match the bytes that arrived at the server, so that it is computed again, a few
    /// times.
    ///
    /// - Returns: whether it is computed again.
    mutating func forgetDigest(of call: S3Call) -> Bool {
        guard let (number, _) = bytes(of: call) else { return false }
        digests[number] = nil
        let count = (tries.refusedBodies[number] ?? 0).addingClamped(1)
        tries.refusedBodies[number] = count
        return count < Tries.mostOfOnePart
    }

    /// Treats no part as stored.
    ///
    /// - Parameter listing: what to request from the server.
    mutating func forgetParts(_ listing: StoredParts.Listing) {
        parts = StoredParts(listing)
        updateStored()
    }

    // MARK: - Properties for the runner

    package var hashAhead: SourceDigest? {
        guard end == nil, let plan, parts.listing == .complete, notes.upload != nil, let part = nextPart(plan),
            digests[part] == nil, let range = plan.range(of: part)
        else { return nil }
        return SourceDigest(.sha256, of: range)
    }

    package var memory: [UInt8]? { notes == S3Memory(source: notes.source) ? nil : notes.json }

    package var acknowledged: Int64 {
        if case .finish? = end { return size }
        return parts.listing == .complete ? parts.bytes : notes.upload?.stored ?? 0
    }

    package var farewellSource: CredentialSource? {
        notes.upload == nil || notes.mayBeThere ? nil : parameters.object.keys
    }

    package var farewell: DialectRequest? {
        guard let upload = notes.upload, !notes.mayBeThere, let (signing, _) = signer.signing(at: madeAt) else {
            return nil
        }
        return requests.abort(upload.id, signing)
    }

    package var standing: String? {
        guard end == nil, let plan, notes.upload != nil else { return nil }
        if isUnderWay(.complete) { return "assembling an object from \(plan.count) parts" }
        if isUnderWay(.head) { return "asking whether the object exists" }
        if !underway.isEmpty { return "\(parts.count) of \(plan.count) parts are stored" }
        return "\(ByteText.of(acknowledged)) of \(ByteText.of(size)) are stored in a multipart upload"
    }
}

extension S3Upload: RememberingDialect {
    typealias Memory = S3Memory
}
