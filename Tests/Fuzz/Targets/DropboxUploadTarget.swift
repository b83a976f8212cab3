// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Synchronization

/// An upload to Dropbox with a server that gives any answer: the answers follow each other, separated by NULs. After a
/// break the upload is recreated from its memory, which may also be any bytes. A large upload has several concurrent
/// requests, and the input determines which is answered next.
enum DropboxUploadTarget {
    /// More steps than any server may make an attempt take.
    private static let mostSteps = 400
    /// An attempt leaves its memory to the next one, and an input may begin with a memory.
    private static let mostAttempts = 16
    private static let largestMemory = 8192

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        // More would only be spent on identical digests.
        let size = min(input.count(), 1 << 30)
        guard let basis = basis(size: size, autorenames: input.bool()) else { return }
        var upload = DropboxUpload(basis, memory: input.bool() ? Array(input.part(endingAt: 0)) : nil)
        var now = fuzzStart
        for _ in 0..<mostAttempts {
            let end = attempt(&upload, size, &input, &now)
            let memory = upload.memory
            check(memory)
            guard end == .broken else { return }
            let before = upload.acknowledged
            upload = DropboxUpload(basis, memory: memory)
            promise(upload.acknowledged == before, "of \(before) bytes \(upload.acknowledged) are remembered")
        }
    }

    private struct Beginning: Hashable {
        var size: Int64
        var autorenames: Bool
    }

    /// Most inputs begin with the same few uploads, and reading one takes longer than everything that follows.
    private static let bases = Mutex<[Beginning: DropboxUpload.Basis]>([:])

    private static func basis(size: Int64, autorenames: Bool) -> DropboxUpload.Basis? {
        let beginning = Beginning(size: size, autorenames: autorenames)
        return bases.withLock { known in
            if let found = known[beginning] { return found }
            var parameters = DropboxParameters(account: "a", path: "/a")
            parameters.autorename = autorenames
            // Derived from the size, so that no input needs a separate place for it.
            parameters.connections = [4, 1, 2, 16][Int(size & 3)]
            guard let spec = try? spec(parameters, size: size), let basis = try? DropboxUpload.Basis(spec) else {
                return nil
            }
            if known.count >= 1000 { known = [:] }
            known[beginning] = basis
            return basis
        }
    }

    private enum End { case broken, over }

    private static func attempt(
        _ upload: inout DropboxUpload,
        _ size: Int64,
        _ input: inout FuzzInput,
        _ now: inout Moment
    ) -> End {
        var underway: [DialectRequest] = []
        for _ in 0..<mostSteps {
            promise((0...size).contains(upload.acknowledged), "\(upload.acknowledged) of \(size) are acknowledged")
            _ = (upload.standing, upload.digestsAhead)
            let step = underway.isEmpty || underway.count < upload.lanes ? upload.next(now: now) : .wait
            switch step {
            case .finish, .fail:
                promise(underway.isEmpty, "it ends while requests are under way")
                _ = upload.destination
                return .over
            case .digest(let range):
                let blocks = min(256, (range.upperBound - range.lowerBound + 4_194_303) / 4_194_304)
                promise(blocks > 0, "no bytes are to be hashed")
                upload.digested([UInt8](repeating: 7, count: Int(blocks) * 32), from: range.lowerBound)
            case .hash:
                promise(false, "it has nothing to hash but blocks")
                return .over
            case .authorize: upload.authorized(GrantedToken("token"))
            case .send(let request):
                promise(request.body.count >= 0, "a body of \(request.body.count) bytes")
                promise(!underway.contains { $0.lane == request.lane }, "lane \(request.lane) is taken")
                // The memory is stored before the request's first byte is sent, and once its answer has arrived.
                check(upload.memory)
                underway.append(request)
                if upload.lanes > 1 { continue }
                fallthrough
            case .wait:
                promise(!underway.isEmpty, "it waits for nothing")
                // A server that never finishes is cut off; its attempt would end elsewhere.
                if input.isAtEnd { return .over }
                now = input.moment(after: now)
                let next = underway.count > 1 ? input.choice(underway.count) : 0
                let lane = underway.remove(at: next).lane
                guard answers(&upload, &input, now, lane) else { return .broken }
                check(upload.memory)
            }
        }
        promise(false, "an attempt takes more than \(mostSteps) steps")
        return .over
    }

    private static func check(_ memory: [UInt8]?) {
        promise((memory?.count ?? 0) <= largestMemory, "a memory of \(memory?.count ?? 0) bytes")
    }

    /// Whether there is an answer; otherwise the connection has broken, which ends the attempt.
    private static func answers(
        _ upload: inout DropboxUpload,
        _ input: inout FuzzInput,
        _ now: Moment,
        _ lane: Int
    ) -> Bool {
        let statuses = [200, 200, 200, 409, 409, 401, 429, 400, 500, 503, 0]
        let status = statuses[input.choice(statuses.count)]
        if status == 0 {
            _ = upload.broke(TransferFailure(.connectionLost, "it broke"), lane: lane, sent: input.count(), now: now)
            return false
        }
        var answer = Answer(status: status)
        if input.bool() { answer.headers = [HeaderField(name: "Retry-After", value: input.text())] }
        answer.bodyStart = Array(input.part(endingAt: 0))
        upload.answered(answer, lane: lane, now: now)
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
