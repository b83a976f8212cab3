// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers

/// An upload to S3 in several lanes, with a server that gives any answer. After a break the upload is recreated from
/// its memory, which may also be any bytes.
enum S3UploadTarget {
    /// More steps than any server may make an attempt take.
    private static let mostSteps = 60_000
    private static let mostAttempts = 16
    private static let largestMemory = 8192

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        guard let spec = spec(size: min(input.count(), 1 << 30), &input) else { return }
        let size = spec.sources.first?.identity.size ?? 0
        var memory = input.bool() ? Array(input.part(endingAt: 0)) : nil
        var now = fuzzStart
        for _ in 0..<mostAttempts {
            guard var upload = try? Dialects.make(spec, memory: memory, now: now) else { return }
            let isBroken = attempt(&upload, size, &input, &now)
            // Each makes and signs a request: once for each attempt's leftovers.
            _ = (upload.farewell, upload.tokenPlaces)
            guard isBroken else { return }
            memory = upload.memory
        }
    }

    /// Whether the attempt was broken off, so that another follows.
    private static func attempt(
        _ upload: inout any UploadDialect,
        _ size: Int64,
        _ input: inout FuzzInput,
        _ now: inout Moment
    ) -> Bool {
        var lanes: [Int] = []
        var keys = 0
        for _ in 0..<mostSteps {
            look(at: upload, size)
            if lanes.count < upload.lanes || lanes.isEmpty {
                switch upload.next(now: now) {
                case .finish, .fail:
                    promise(lanes.isEmpty, "it ends while \(lanes.count) requests are under way")
                    return false
                case .hash(let digest):
                    promise(!digest.range.isEmpty && digest.range.upperBound <= size, "\(digest.range) of \(size)")
                    upload.hashed([7], digest)
                    continue
                case .authorize:
                    keys += 1
                    promise(keys <= mostSteps, "keys without end")
                    if keys > 3, input.bool() { return false }
                    upload.authorized(GrantedToken(AccessKey(id: "key\(keys)", secret: "secret")))
                    continue
                case .digest:
                    promise(false, "not a step of this dialect")
                    return false
                case .wait: promise(!lanes.isEmpty, "it waits for nothing")
                case .send(let request):
                    promise(!lanes.contains(request.lane) && request.lane < upload.lanes, "a lane is used twice")
                    for field in request.headers {
                        promise((try? field.validate()) != nil, "a header that forges another: \(field.name)")
                    }
                    lanes.append(request.lane)
                    if let ahead = upload.hashAhead { upload.hashed([7], ahead) }
                    continue
                }
            }
            if input.isAtEnd { return false }
            now = input.moment(after: now)
            let lane = lanes.remove(at: input.choice(lanes.count))
            guard let answer = answer(&input) else {
                _ = upload.broke(TransferFailure(.connectionLost, "it broke"), lane: lane, sent: 0, now: now)
                return true
            }
            upload.answered(answer, lane: lane, now: now)
        }
        promise(false, "an attempt takes more than \(mostSteps) steps")
        return false
    }

    private static func look(at upload: any UploadDialect, _ size: Int64) {
        promise((0...size).contains(upload.acknowledged), "\(upload.acknowledged) of \(size) are acknowledged")
        promise((upload.memory?.count ?? 0) <= largestMemory, "a memory of \(upload.memory?.count ?? 0) bytes")
        _ = upload.standing
    }

    private static let statuses = [200, 200, 200, 204, 301, 400, 403, 404, 409, 412, 500, 503, 0]

    /// Nil for a broken connection.
    static func answer(_ input: inout FuzzInput) -> Answer? {
        let status = statuses[input.choice(statuses.count)]
        if status == 0 { return nil }
        var answer = Answer(status: status)
        while input.bool(), answer.headers.count < 6 {
            answer.headers.append(HeaderField(name: names[input.choice(names.count)], value: input.text()))
        }
        switch input.choice(6) {
        case 0: answer.bodyStart = Array(input.part(endingAt: 0))
        case 1: answer.bodyStart = Array("<R><UploadId>\(input.text())</UploadId></R>".utf8)
        case 2: answer.bodyStart = Array("<Error><Code>\(codes[input.choice(codes.count)])</Code></Error>".utf8)
        case 3: answer.bodyStart = Array(parts(&input).utf8)
        case 4: answer.bodyStart = Array("<CompleteMultipartUploadResult/>".utf8)
        default: answer.headers.append(HeaderField(name: "ETag", value: "\"tag\""))
        }
        return answer
    }

    private static func parts(_ input: inout FuzzInput) -> String {
        var text = "<ListPartsResult><IsTruncated>\(input.bool())</IsTruncated>"
        while input.bool(), !input.isAtEnd {
            text += "<Part><PartNumber>\(input.count())</PartNumber><ETag>\(input.text())</ETag>"
            text += "<Size>\(input.bool() ? 8 << 20 : input.count())</Size></Part>"
        }
        return text + "</ListPartsResult>"
    }

    private static let names = [
        "ETag", "x-amz-bucket-region", "Date", "Retry-After", "Content-Length", "x-amz-meta-offstage-id", "Location",
        "x-minio-error-code",
    ]
    private static let codes = [
        "NoSuchUpload", "SlowDown", "InternalError", "ExpiredToken", "InvalidPart", "BadDigest", "RequestTimeTooSkewed",
        "PreconditionFailed", "ConditionalRequestConflict", "AuthorizationHeaderMalformed", "NoSuchBucket",
        "InvalidArgument", "AccessDenied",
    ]

    private static func spec(size: Int64, _ input: inout FuzzInput) -> TransferSpec? {
        let object = S3Object(
            S3Location(bucket: "bucket", key: "a key"),
            at: S3Endpoint(base: input.bool() ? "https://s3.example" : nil, region: "us-east-1"),
            keys: .profile(AWSProfile(name: "default", credentialsPath: "/a", configPath: "/b"))
        )
        var parameters = S3Parameters(object, marker: String(repeating: "0123456789abcdef", count: 2))
        parameters.leavesExisting = input.bool()
        parameters.connections = 1 + input.choice(4)  // checked: a few
        guard let dialect = try? parameters.dialectSpec(), let url = try? parameters.url() else { return nil }
        let identity = FileIdentity(device: 1, inode: 2, size: size, modified: 3)
        var spec = TransferSpec(
            direction: .upload(.init(path: "/a", identity: identity)),
            url: url,
            method: "PUT",
            owner: "command"
        )
        spec.dialect = dialect
        return spec
    }
}
