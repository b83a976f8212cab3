// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Synchronization

/// An upload by tus, or by another protocol with one request at a time, or a plain one that offers to be resumed, with
/// a server that gives any answer. After a break the upload is recreated from its memory, which may also be any bytes.
enum UploadDialectTarget {
    static func runTus(_ bytes: UnsafeRawBufferPointer) {
        run(bytes, { spec(size: $0, TusUpload.name) }, answer)
    }
    static func runOffered(_ bytes: UnsafeRawBufferPointer) {
        run(bytes, { spec(size: max(ResumptionOffer.smallest, $0), OfferedUpload.name) }, answer)
    }
    static func runResumable(_ bytes: UnsafeRawBufferPointer) {
        run(bytes, { spec(size: $0, ResumableUpload.name) }, answer)
    }

    /// More steps than any server may make an attempt take.
    private static let mostSteps = 10_000
    private static let mostAttempts = 16
    private static let largestMemory = 8192

    /// - Parameters:
    ///   - bytes: the input.
    ///   - spec: makes the upload of a file of this many bytes.
    ///   - answer: a server's answer; nil for a broken connection.
    ///   - provesContent: whether a server can prove that it has a file that was not sent.
    static func run(
        _ bytes: UnsafeRawBufferPointer,
        _ spec: (Int64) -> TransferSpec?,
        _ answer: (inout FuzzInput) -> Answer?,
        provesContent: Bool = false
    ) {
        var input = FuzzInput(bytes)
        guard let spec = spec(min(input.count(), 1 << 30)) else { return }
        let size = spec.sources.first?.identity.size ?? 0
        var memory = input.bool() ? Array(input.part(endingAt: 0)) : nil
        // The bytes that a foreign memory reports as sent are assumed to have been sent.
        var sent = memory != nil || provesContent ? size : 0
        var now = fuzzStart
        for _ in 0..<mostAttempts {
            guard var upload = try? Dialects.make(spec, memory: memory, now: now) else { return }
            let isBroken = attempt(&upload, size, &input, &now, &sent, answer)
            // Makes a request: once for each attempt's leftovers.
            _ = upload.farewell
            check(upload.memory)
            guard isBroken else { return }
            let before = upload.acknowledged
            memory = upload.memory
            guard let again = try? Dialects.make(spec, memory: memory, now: now) else { return }
            promise(again.acknowledged == before, "of \(before) bytes \(again.acknowledged) are remembered")
        }
    }

    /// Whether the attempt was broken off, so that another follows. `sent` is the end of all bytes ever sent.
    private static func attempt(
        _ upload: inout any UploadDialect,
        _ size: Int64,
        _ input: inout FuzzInput,
        _ now: inout Moment,
        _ sent: inout Int64,
        _ answer: (inout FuzzInput) -> Answer?
    ) -> Bool {
        for _ in 0..<mostSteps {
            promise((0...size).contains(upload.acknowledged), "\(upload.acknowledged) of \(size) are acknowledged")
            _ = upload.standing
            switch upload.next(now: now) {
            case .finish(let end):
                promise(!(200..<300).contains(end.status) || sent >= size, "\(sent) of \(size) bytes were sent")
                _ = upload.destination
                return false
            case .fail: return false
            case .hash(let digest):
                promise(!digest.range.isEmpty && digest.range.upperBound <= size, "\(digest.range) of \(size)")
                upload.hashed(bytes(of: digest), digest)
            case .authorize: upload.authorized(GrantedToken("a-token"))
            case .digest, .wait:
                promise(false, "not a step of these dialects")
                return false
            case .send(let request):
                promise(
                    request.sourceOffset == nil || request.body.count <= size,
                    "a body of \(request.body.count) bytes"
                )
                for field in request.headers {
                    promise((try? field.validate()) != nil, "a header that forges another: \(field.name)")
                }
                check(upload.memory)
                if let begin = request.sourceOffset { sent = max(sent, begin.addingClamped(request.body.count)) }
                if let ahead = upload.hashAhead { upload.hashed(bytes(of: ahead), ahead) }
                if input.isAtEnd { return false }
                now = input.moment(after: now)
                if request.hearsInterim, input.bool() {
                    while input.bool(), !input.isAtEnd { upload.receivedInterim(fields(&input), lane: 0) }
                    check(upload.memory)
                }
                guard let answer = answer(&input) else {
                    let failure = TransferFailure(.connectionLost, "it broke")
                    _ = upload.broke(failure, lane: 0, sent: input.count(), now: now)
                    return true
                }
                // A refusal arrives in the middle of the body.
                upload.sentBody(answer.status < 400 ? request.body.count : request.body.count / 2, lane: 0)
                upload.answered(answer, lane: 0, now: now)
                check(upload.memory)
            }
        }
        promise(false, "an attempt takes more than \(mostSteps) steps")
        return false
    }

    private static func bytes(of digest: SourceDigest) -> [UInt8] {
        digest.algorithm == .crc32c ? [0, 0, 0, 7] : [7]
    }

    private static func check(_ memory: [UInt8]?) {
        promise((memory?.count ?? 0) <= largestMemory, "a memory of \(memory?.count ?? 0) bytes")
    }

    /// Nil for a broken connection.
    private static func answer(_ input: inout FuzzInput) -> Answer? {
        let statuses = [200, 201, 204, 204, 204, 409, 460, 413, 404, 403, 400, 405, 412, 423, 500, 0]
        let status = statuses[input.choice(statuses.count)]
        if status == 0 { return nil }
        var answer = Answer(status: status)
        answer.headers = fields(&input)
        if status == 400 { answer.bodyStart = Array(input.part(endingAt: 0)) }
        return answer
    }

    private static func fields(_ input: inout FuzzInput) -> [HeaderField] {
        var fields: [HeaderField] = []
        if input.bool() { fields.append(HeaderField(name: "Upload-Offset", value: String(input.count()))) }
        while input.bool(), fields.count < 8 {
            fields.append(HeaderField(name: names[input.choice(names.count)], value: input.text()))
        }
        return fields
    }

    private static let names = [
        "Upload-Offset", "Upload-Length", "Upload-Expires", "Location", "Tus-Version", "Tus-Extension",
        "Tus-Checksum-Algorithm", "Tus-Max-Size", "Retry-After", "Upload-Complete", "Upload-Incomplete",
        "Upload-Draft-Interop-Version", "Upload-Limit",
    ]

    private struct Beginning: Hashable {
        var size: Int64
        var dialect: String
    }

    private static let specs = Mutex<[Beginning: TransferSpec]>([:])

    private static func spec(size: Int64, _ name: String) -> TransferSpec? {
        let beginning = Beginning(size: size, dialect: name)
        return specs.withLock { known in
            if let found = known[beginning] { return found }
            var parameters = TusParameters()
            parameters.metadata = [MetadataEntry("filename", "a")]
            guard let url = try? RequestURL("https://tus.example/files/"),
                let tus = try? parameters.dialectSpec(at: url)
            else { return nil }
            let identity = FileIdentity(device: 1, inode: 2, size: size, modified: 3)
            var spec = TransferSpec(
                direction: .upload(.init(path: "/a", identity: identity)),
                url: url,
                method: "POST",
                owner: "command"
            )
            switch name {
            case TusUpload.name: spec.dialect = tus
            case OfferedUpload.name: spec.offersResumption = true
            default: spec.dialect = ResumableParameters.dialectSpec(at: url)
            }
            if known.count >= 1000 { known = [:] }
            known[beginning] = spec
            return spec
        }
    }
}
