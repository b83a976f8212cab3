// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Synchronization

/// An upload to Dropbox against a server that answers anything: answers stand one after the other, a NUL between them.
/// After a break the upload is made anew from its memory, which may be any bytes as well.
enum DropboxUploadTarget {
    /// More steps of an attempt than any server may make it take.
    private static let mostSteps = 400
    private static let largestMemory = 4096

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        // More would be spent on digests that are all alike.
        let size = min(input.count(), 1 << 30)
        var parameters = DropboxParameters(account: "a", path: "/a")
        parameters.autorename = input.bool()
        guard let (spec, new) = begun(parameters, size: size) else { return }
        var upload = new
        if input.bool() {
            guard let other = try? DropboxUpload(spec, memory: Array(input.part(endingAt: 0)), now: fuzzStart) else {
                return
            }
            upload = other
        }
        var now = fuzzStart
        while attempt(&upload, size, &input, &now) == .broken {
            let memory = upload.memory
            guard let next = try? DropboxUpload(spec, memory: memory, now: now) else {
                return promise(false, "a memory that it has made cannot be read")
            }
            upload = next
        }
    }

    private struct Beginning: Hashable {
        var size: Int64
        var autorenames: Bool
    }

    /// Most inputs begin with the same few uploads, and to make one takes half as long as all that follows.
    private static let beginnings = Mutex<[Beginning: (TransferSpec, DropboxUpload)]>([:])

    private static func begun(_ parameters: DropboxParameters, size: Int64) -> (TransferSpec, DropboxUpload)? {
        let beginning = Beginning(size: size, autorenames: parameters.autorename)
        return beginnings.withLock { known in
            if let found = known[beginning] { return found }
            guard let spec = try? spec(parameters, size: size),
                let upload = try? DropboxUpload(spec, memory: nil, now: fuzzStart)
            else { return nil }
            if known.count >= 1000 { known = [:] }
            known[beginning] = (spec, upload)
            return (spec, upload)
        }
    }

    private enum End { case broken, over }

    private static func attempt(
        _ upload: inout DropboxUpload,
        _ size: Int64,
        _ input: inout FuzzInput,
        _ now: inout Moment
    ) -> End {
        for _ in 0..<mostSteps {
            promise((0...size).contains(upload.acknowledged), "\(upload.acknowledged) of \(size) are acknowledged")
            promise((upload.memory?.count ?? 0) <= largestMemory, "a memory of \(upload.memory?.count ?? 0) bytes")
            _ = (upload.standing, upload.digestsAhead)
            switch upload.next(now: now) {
            case .finish, .fail:
                _ = upload.destination
                return .over
            case .digest(let range):
                let blocks = min(256, (range.upperBound - range.lowerBound + 4_194_303) / 4_194_304)
                promise(blocks > 0, "no bytes are to be hashed")
                upload.digested([UInt8](repeating: 7, count: Int(blocks) * 32), from: range.lowerBound)
            case .wait:
                promise(false, "it waits for nothing")
                return .over
            case .authorize: upload.authorized(GrantedToken("token"))
            case .send(let request):
                promise(request.body.count >= 0, "a body of \(request.body.count) bytes")
                // A server that never comes to an end is cut off; its attempt would end elsewhere.
                if input.isAtEnd { return .over }
                now = input.moment(after: now)
                guard answers(&upload, &input, now) else { return .broken }
            }
        }
        promise(false, "an attempt takes more than \(mostSteps) steps")
        return .over
    }

    /// Whether there is an answer; else the connection has broken, and with it the attempt.
    private static func answers(_ upload: inout DropboxUpload, _ input: inout FuzzInput, _ now: Moment) -> Bool {
        let statuses = [200, 200, 200, 409, 409, 401, 429, 400, 500, 503, 0]
        let status = statuses[input.choice(statuses.count)]
        if status == 0 {
            _ = upload.broke(TransferFailure(.connectionLost, "it broke"), lane: 0, sent: input.count(), now: now)
            return false
        }
        var answer = Answer(status: status)
        if input.bool() { answer.headers = [HeaderField(name: "Retry-After", value: input.text())] }
        answer.bodyStart = Array(input.part(endingAt: 0))
        upload.answered(answer, lane: 0, now: now)
        return true
    }

    private static func spec(_ parameters: DropboxParameters, size: Int64) throws -> TransferSpec {
        let identity = FileIdentity(device: 1, inode: 2, size: size, modified: 3)
        var spec = TransferSpec(
            direction: .upload(.init(path: "/a", identity: identity)),
            url: try parameters.url(),
            method: "POST",
            owner: "command"
        )
        spec.dialect = try parameters.dialectSpec()
        return spec
    }
}
