// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

@Suite struct DropboxUploadTests {
    private static let mebibyte = DropboxBench.mebibyte
    private static let opened = DropboxBench.answer(200, #"{"session_id":"s1"}"#)
    private static let stored = DropboxBench.answer(200, "null")

    private static func wrongOffset(_ offset: Int64) -> Answer {
        DropboxBench.conflict(#"{".tag":"incorrect_offset","correct_offset":\#(offset)}"#)
    }

    private static let lost = DropboxBench.conflict(#"{".tag":"not_found"}"#)

    private static func gone(_ tag: String = "not_found") -> Answer {
        DropboxBench.conflict(#"{".tag":"lookup_failed","lookup_failed":{".tag":"\#(tag)"}}"#)
    }

    // MARK: - Requests

    @Test(arguments: [0, 1, 8 << 20] as [Int64])
    func `a small file goes in one request, where that may be repeated`(size: Int64) throws {
        for mode in [DropboxWriteMode.add, .overwrite, .update(revision: "0123456789")] {
            var upload = try DropboxBench.upload(size: size) { $0.mode = mode }
            #expect(upload.step() == .upload)
            #expect(upload.memory == nil, "there is nothing to go on with")
            #expect(upload.step(after: DropboxBench.file(size: size)) == .done)
        }
        for change: (inout DropboxParameters) -> Void in [{ $0.autorename = true }, { $0.strictConflict = true }] {
            var upload = try DropboxBench.upload(size: size, change)
            #expect(upload.step() == .start)
            #expect(upload.step(after: Self.opened) == .finish(0, size))
            #expect(upload.step(after: DropboxBench.file(size: size)) == .done)
        }
    }

    @Test func `before a session is open there is nothing to remember`() throws {
        for limit in [nil, 4 << 20] as [Int64?] {
            var upload = try DropboxBench.upload(size: 30 << 20) { $0.largestChunk = limit }
            #expect(upload.step() == .start)
            #expect(upload.memory == nil)
            _ = upload.step(after: Self.opened)
            #expect(upload.memory != nil)
        }
    }

    @Test(arguments: [
        (1.9, [8, 32] + [Int64](repeating: 128, count: 7)), (3.9, [8, 16, 32, 64] + [Int64](repeating: 128, count: 7)),
    ])
    func `chunks grow while they are quick, to 128 MiB, and the last one commits`(
        seconds: Double,
        expected: [Int64]
    ) throws {
        let size = 1 << 30 + Int64(5)
        var upload = try DropboxBench.upload(size: size)
        var time = 0.0
        var step = upload.step()
        #expect(step == .start)
        step = upload.step(after: Self.opened)
        var chunks: [Int64] = []
        while case .append(let offset, let count) = step {
            #expect(offset == chunks.reduce(0) { $0 + $1 * Self.mebibyte })
            chunks.append(count / Self.mebibyte)
            time += seconds
            step = upload.step(after: Self.stored, at: DropboxBench.moment(time))
        }
        #expect(chunks == expected)
        let rest = size - chunks.reduce(0, +) * Self.mebibyte
        #expect(step == .finish(size - rest, rest))
    }

    @Test func `a slow chunk keeps its size, and one that broke halves it, to no less than 8 MiB`() throws {
        var upload = try DropboxBench.upload(size: 1 << 30)
        #expect(upload.step() == .start)
        #expect(upload.step(after: Self.opened) == .append(0, 8 << 20))
        #expect(upload.step(after: Self.stored, at: DropboxBench.moment(4)) == .append(8 << 20, 8 << 20))
        #expect(upload.step(after: Self.stored, at: DropboxBench.moment(7)) == .append(16 << 20, 16 << 20))
        #expect(upload.step(after: Self.stored, at: DropboxBench.moment(10)) == .append(32 << 20, 32 << 20))
        var memory: [UInt8]?
        for half in [16, 8, 8] as [Int64] {
            let failure = TransferFailure(.connectionLost, "it broke")
            #expect(upload.broke(failure, lane: 0, sent: 7, now: DropboxBench.moment(11)) == failure)
            memory = upload.memory
            upload = try DropboxBench.upload(size: 1 << 30, memory: memory)
            #expect(upload.step() == .append(32 << 20, 0))
            #expect(upload.step(after: Self.stored) == .append(32 << 20, half << 20))
        }
        _ = upload.broke(TransferFailure(.sourceChanged, "it changed"), lane: 0, sent: 0, now: DropboxBench.moment(12))
        #expect(upload.memory == memory)
    }

    @Test func `a server that takes no more is not asked to again`() throws {
        var upload = try DropboxBench.upload(size: 100 << 20)
        #expect(upload.step() == .start)
        #expect(upload.step(after: Self.opened) == .append(0, 8 << 20))
        #expect(upload.step(after: Self.stored) == .append(8 << 20, 32 << 20))
        #expect(upload.step(after: DropboxBench.answer(413)) == .append(8 << 20, 16 << 20))
        #expect(upload.step(after: Self.stored) == .append(24 << 20, 16 << 20))
        var next = try DropboxBench.upload(size: 100 << 20, memory: upload.memory)
        #expect(next.step() == .append(24 << 20, 0))
        #expect(next.step(after: Self.stored) == .append(24 << 20, 16 << 20))
        #expect(next.step(after: DropboxBench.answer(413)) == .append(24 << 20, 8 << 20))
        #expect(next.step(after: Self.stored) == .append(32 << 20, 8 << 20))
        #expect(next.step(after: DropboxBench.answer(413)) == .append(32 << 20, 4 << 20))
        #expect(next.step(after: Self.stored) == .append(36 << 20, 4 << 20))
        #expect(next.step(after: DropboxBench.answer(413)) == .failed(.badServerResponse))
    }

    // MARK: - Digests

    @Test func `each call says the hash of its bytes, also within a block`() throws {
        var upload = try DropboxBench.upload(size: 30 << 20)
        #expect(upload.step() == .start)
        #expect(upload.step(after: Self.opened) == .append(0, 8 << 20))
        let kept = 5 * Self.mebibyte + 3
        #expect(upload.step(after: Self.wrongOffset(kept)) == .append(kept, 3 * Self.mebibyte - 3))
        guard case .send(let request) = upload.next(now: DropboxBench.start) else {
            return _ = Issue.record("nothing is sent")
        }
        let content = SymbolicContent(version: 1, kept..<8 * Self.mebibyte)
        #expect(request.argument["content_hash"].string == content.contentHash)
        #expect(upload.step(after: Self.stored) == .append(8 << 20, 8 << 20))
    }

    @Test func `what is needed next is hashed while a request is under way, and each block once`() throws {
        let size: Int64 = 300 << 20
        var upload = try DropboxBench.upload(size: size)
        var hashed: [Range<Int64>] = []
        var step = upload.next(now: DropboxBench.start)
        for _ in 0..<1000 {
            switch step {
            case .digest(let range):
                hashed.append(range)
                upload.digested(SymbolicContent.digests(version: 1, of: range), from: range.lowerBound)
            case .authorize: upload.authorized(GrantedToken(DropboxBench.secret))
            case .send(let request):
                while let ahead = upload.digestsAhead {
                    hashed.append(ahead)
                    upload.digested(SymbolicContent.digests(version: 1, of: ahead), from: ahead.lowerBound)
                }
                let kind = DropboxStep(request)
                if case .finish = kind {
                    upload.answered(DropboxBench.file(size: size), lane: 0, now: DropboxBench.start)
                } else {
                    upload.answered(kind == .start ? Self.opened : Self.stored, lane: 0, now: DropboxBench.start)
                }
            case .finish, .fail, .hash, .wait: break
            }
            step = upload.next(now: DropboxBench.start)
        }
        guard case .finish = step else { return _ = Issue.record("it does not end") }
        #expect(hashed.reduce(0) { $0 + Int64($1.count) } == size)
    }

    @Test func `what was acknowledged before a restart is hashed again before the commit`() throws {
        var upload = try DropboxBench.upload(size: 200 << 20)
        var step = upload.step()
        step = upload.step(after: Self.opened)
        while case .append = step { step = upload.step(after: Self.stored) }
        guard case .finish(let offset, _) = step else { return _ = Issue.record("it does not come to the commit") }
        var next = try DropboxBench.upload(size: 200 << 20, memory: upload.memory)
        #expect(next.step() == .append(offset, 0))
        next.answered(Self.stored, lane: 0, now: DropboxBench.start)
        var hashed = RangeSet<Int64>()
        while case .digest(let range) = next.next(now: DropboxBench.start) {
            hashed.insert(contentsOf: range)
            next.digested(SymbolicContent.digests(version: 1, of: range), from: range.lowerBound)
        }
        #expect(hashed == RangeSet(0..<200 << 20))
        #expect(next.step() == .finish(offset, 200 << 20 - offset))
    }

    @Test func `what an attempt has hashed is not hashed again by the next one`() throws {
        var upload = try DropboxBench.upload(size: 200 << 20)
        var step = upload.step()
        step = upload.step(after: Self.opened)
        while case .append = step { step = upload.step(after: Self.stored) }
        #expect(upload.step(after: DropboxBench.answer(503)) == .failed(.serverBusy))
        var next = try DropboxBench.upload(size: 200 << 20, memory: upload.memory)
        next.digests = upload.digests
        #expect(next.step() != step)
        next.answered(Self.stored, lane: 0, now: DropboxBench.start)
        guard case .send(let request) = next.next(now: DropboxBench.start) else {
            return _ = Issue.record("it hashes again")
        }
        #expect(DropboxStep(request) == step)
        // Nothing is reused from a file of a different length.
        var other = try DropboxBench.upload(size: 100 << 20)
        other.digests = upload.digests
        #expect(other.digests == nil)
    }

    // MARK: - Sessions

    @Test func `how much has arrived is asked before anything is sent again, and once`() throws {
        for phase in [DropboxAnswerTests.Phase.firstAppend, .secondAppend, .finish] {
            let (begin, end) = (phase.known.lowerBound, phase.known.upperBound)
            let step = try phase.reach().1
            var upload = try restarted(phase)
            #expect(upload.step() == .append(begin, 0))
            #expect(upload.standing == "asking how much of what was sent has arrived")
            guard case .send(let request) = upload.next(now: DropboxBench.start) else {
                return _ = Issue.record("nothing is sent")
            }
            #expect(request.argument["content_hash"].string == SymbolicContent().contentHash)
            #expect(upload.step(after: Self.stored) == step, "nothing has arrived")
            // All or part of it has arrived.
            for offset in [end, begin + 5 * Self.mebibyte + 3] {
                upload = try restarted(phase)
                _ = upload.step()
                switch upload.step(after: Self.wrongOffset(offset)) {
                case .append(let next, let count), .finish(let next, let count):
                    #expect(next == offset && (count > 0 || offset == phase.size), "\(phase)")
                default: Issue.record("\(phase) does not go on")
                }
                #expect(upload.acknowledged == offset)
            }
            // A server that accepts no request without bytes.
            for answer in [
                DropboxBench.answer(400, "empty"), DropboxBench.conflict(#"{".tag":"from_the_future"}"#),
                DropboxBench.conflict(#"{".tag":"content_hash_mismatch"}"#), DropboxBench.answer(413),
            ] {
                upload = try restarted(phase)
                _ = upload.step()
                #expect(upload.step(after: answer) == step, "\(answer)")
            }
            // Failures that the bytes would also meet: there is no need to send them.
            for (answer, code) in [
                (DropboxBench.answer(503), TransferFailure.Code.serverBusy), (DropboxBench.answer(429), .serverBusy),
                (DropboxBench.answer(404), .httpStatus), (DropboxBench.answer(403), .accountUnusable),
                (DropboxBench.answer(200, "<html>"), .serverMisbehaves),
            ] {
                upload = try restarted(phase)
                let memory = upload.memory
                _ = upload.step()
                #expect(upload.step(after: answer) == .failed(code))
                if code != .serverBusy { #expect(upload.memory == memory) }
            }
            upload = try restarted(phase)
            #expect(upload.step() == .append(begin, 0))
            #expect(upload.step(after: DropboxBench.expired()) == .append(begin, 0))
            #expect(upload.step(after: Self.stored) == step)
            upload = try restarted(phase)
            _ = upload.step()
            #expect(upload.step(after: Self.lost) == (phase == .finish ? .metadata : .start))
        }
    }

    @Test func `nothing is asked after a restart when no bytes were on their way`() throws {
        for phase in [DropboxAnswerTests.Phase.emptyFinish, .metadata] {
            var upload = try restarted(phase)
            #expect(try upload.step() == phase.reach().1)
        }
    }

    /// The upload that a later daemon creates from its predecessor's memory.
    private func restarted(_ phase: DropboxAnswerTests.Phase) throws -> DropboxUpload {
        let (upload, _) = try phase.reach()
        return try DropboxBench.upload(size: phase.size, memory: upload.memory)
    }

    @Test func `a session is left before its seven days are over`() throws {
        let life = 7 * 86_400 - 3600.0
        var upload = try DropboxBench.upload(size: 30 << 20)
        #expect(upload.step() == .start)
        #expect(upload.step(after: Self.opened, at: DropboxBench.moment(9)) == .append(0, 8 << 20))
        #expect(upload.step(after: Self.stored, at: DropboxBench.moment(13)) == .append(8 << 20, 8 << 20))
        let memory = upload.memory
        func step(_ seconds: Double) throws -> DropboxStep {
            var next = try DropboxBench.upload(size: 30 << 20, memory: memory, now: DropboxBench.moment(seconds))
            return next.step(at: DropboxBench.moment(seconds))
        }
        #expect(try step(life - 1) == .append(8 << 20, 0))
        #expect(try step(life) == .start)
        // The same holds within an attempt.
        #expect(upload.step(after: Self.stored, at: DropboxBench.moment(life)) == .start)
    }

    @Test func `a session that was to be committed is not left before it was looked whether it was`() throws {
        var upload = try DropboxBench.upload(size: 30 << 20)
        var step = upload.step()
        step = upload.step(after: Self.opened)
        while case .append = step { step = upload.step(after: Self.stored) }
        let later = DropboxBench.moment(8 * 86_400)
        var next = try DropboxBench.upload(size: 30 << 20, memory: upload.memory, now: later)
        #expect(next.step(at: later) == .metadata)
        var third = try DropboxBench.upload(size: 30 << 20, memory: next.memory, now: later)
        #expect(third.step(at: later) == .metadata, "the answer was lost")
        #expect(third.step(after: DropboxBench.file(size: 30 << 20), at: later) == .done)
    }

    @Test func `a memory of another file or version, or of nothing, is none`() throws {
        var upload = try DropboxBench.upload(size: 30 << 20)
        _ = upload.step()
        #expect(upload.step(after: Self.opened) == .append(0, 8 << 20))
        let memory = try #require(upload.memory)
        #expect(memory.count < 400)
        let text = String(decoding: memory, as: UTF8.self)
        #expect(text.contains(#""v":1"#))
        for other in [
            text.replacing(#""v":1"#, with: #""v":2"#), text.replacing(#","v":1"#, with: ""),
            text.replacing("[1,2,31457280,3]", with: "[1,2,31457280,4]"),
            text.replacing(#""sent":8388608"#, with: #""sent":31457281"#),
            text.replacing(#""acknowledged":0"#, with: #""acknowledged":-1"#),
            text.replacing(#""acknowledged":0"#, with: #""acknowledged":8388609"#),
            text.replacing(#""chunk":8388608"#, with: #""chunk":0"#),
            text.replacing(#""chunk":8388608"#, with: #""chunk":8388609"#),
            text.replacing("filling", with: "dreaming"), text.replacing("s1", with: ""), "", "{}", "null",
        ] {
            #expect(other != text)
            var next = try DropboxBench.upload(size: 30 << 20, memory: Array(other.utf8))
            #expect(next.step() == .start, "\(other)")
        }
    }

    // MARK: - Bounds

    @Test func `a server that loses every session is given up`() throws {
        var upload = try DropboxBench.upload(size: 1 << 30)
        var step = upload.step()
        var starts = 0
        for _ in 0..<100 {
            switch step {
            case .start:
                starts += 1
                step = upload.step(after: Self.opened)
            case .append(0, _): step = upload.step(after: Self.stored)
            case .append: step = upload.step(after: DropboxBench.conflict(#"{".tag":"not_found"}"#))
            default: break
            }
        }
        #expect(step == .failed(.serverMisbehaves))
        #expect(starts == 4)
        #expect(upload.failure()?.retryClass == .misbehaviour)
    }

    @Test func `a server that names one byte after the other is given up`() throws {
        var upload = try DropboxBench.upload(size: 30 << 20)
        _ = upload.step()
        var step = upload.step(after: Self.opened)
        var asked = 0
        while case .append(let offset, _) = step {
            asked += 1
            step = upload.step(after: Self.wrongOffset(offset + 1))
        }
        #expect(step == .failed(.serverMisbehaves))
        #expect(asked == 9)
        #expect(upload.acknowledged == 9)
    }

    // MARK: - Tokens

    @Test func `a token is asked for again when it may be old, and not before it was used`() throws {
        var upload = try DropboxBench.upload(size: 100 << 20)
        #expect(upload.step() == .start)
        let mayBeOld = DropboxStep.append(0, 8 << 20)
        #expect(upload.step(after: Self.opened, at: DropboxBench.moment(239)) == mayBeOld)
        upload.answered(Self.stored, lane: 0, now: DropboxBench.moment(240))
        var step = upload.next(now: DropboxBench.moment(240))
        while case .digest(let range) = step {
            upload.digested(SymbolicContent.digests(version: 1, of: range), from: range.lowerBound)
            step = upload.next(now: DropboxBench.moment(240))
        }
        #expect(step == .authorize(.account("dropbox"), rejecting: nil))
        upload.authorized(GrantedToken("late"))
        guard case .send(let request) = upload.next(now: DropboxBench.moment(1000)) else {
            return _ = Issue.record("a token that was long in coming is not used")
        }
        #expect(request.headers["Authorization"] == "Bearer late")
    }

    @Test func `a token may expire again and again in a long upload`() throws {
        var upload = try DropboxBench.upload(size: 100 << 20)
        #expect(upload.step() == .start)
        #expect(upload.step(after: DropboxBench.expired()) == .start)
        #expect(upload.step(after: Self.opened) == .append(0, 8 << 20))
        #expect(upload.step(after: DropboxBench.expired()) == .append(0, 8 << 20))
        #expect(upload.step(after: Self.stored, at: DropboxBench.moment(9)) == .append(8 << 20, 8 << 20))
        #expect(upload.step(after: DropboxBench.expired()) == .append(8 << 20, 8 << 20))
    }

    @Test func `an upload whose account was not there belongs to whoever signs in first`() throws {
        func authorize(_ upload: inout DropboxUpload, as owner: String) {
            var step = upload.next(now: DropboxBench.start)
            while case .digest(let range) = step {
                upload.digested(SymbolicContent.digests(version: 1, of: range), from: range.lowerBound)
                step = upload.next(now: DropboxBench.start)
            }
            #expect(step == .authorize(.account("dropbox"), rejecting: nil))
            upload.authorized(GrantedToken(DropboxBench.secret, owner: owner))
        }
        for size in [5 << 20, 30 << 20] as [Int64] {
            var upload = try DropboxBench.upload(size: size)
            #expect(upload.tokenOwner == nil)
            authorize(&upload, as: "dbid:1")
            #expect(upload.tokenOwner == "dbid:1")
            var next = try DropboxBench.upload(size: size, memory: upload.memory)
            #expect(next.tokenOwner == "dbid:1", "it is remembered before the first request")
            authorize(&next, as: "dbid:2")
            #expect(next.tokenOwner == "dbid:1")
        }
        var known = try DropboxBench.upload(size: 30 << 20) { $0.accountID = "dbid:3" }
        authorize(&known, as: "dbid:1")
        #expect(known.tokenOwner == "dbid:3")
        #expect(known.memory == nil)
    }

    // MARK: - For people

    @Test func `where it stands is said in words`() throws {
        var upload = try DropboxBench.upload(size: 20 << 20)
        #expect(upload.standing == nil)
        _ = upload.step()
        #expect(upload.standing == "opening an upload session")
        _ = upload.step(after: Self.opened)
        #expect(upload.standing == "sending a chunk of 8.00 MiB of 20.0 MiB")
        _ = upload.step(after: Self.stored)
        #expect(upload.standing == "sending the last 12.0 MiB of 20.0 MiB and committing it")
        let kept = try DropboxBench.upload(size: 20 << 20, memory: upload.memory)
        #expect(kept.standing == "8.00 MiB of 20.0 MiB are stored in an upload session")
        _ = upload.step(after: Self.wrongOffset(20 << 20))
        #expect(upload.standing == "committing it")
        _ = upload.step(after: Self.gone())
        #expect(upload.standing == "asking whether it has been committed")
        let looking = try DropboxBench.upload(size: 20 << 20, memory: upload.memory)
        #expect(looking.standing == "it may have been committed; Dropbox is asked next")
        _ = upload.step(after: DropboxBench.file(size: 20 << 20))
        #expect(upload.standing == nil)
        var small = try DropboxBench.upload(size: 1)
        _ = small.step()
        #expect(small.standing == "sending it in one request")
    }

    @Test func `what Dropbox cannot take is refused at once`() throws {
        #expect(throws: RequestError.self) { try DropboxBench.upload(size: 2_199_019_061_249) }
        _ = try DropboxBench.upload(size: 2_199_019_061_248)
        var spec = try DropboxBench.spec(size: 1)
        spec.direction = .download(.init(path: "/a"))
        #expect(throws: RequestError.self) { try Dialects.make(spec, memory: nil, now: DropboxBench.start) }
    }
}
