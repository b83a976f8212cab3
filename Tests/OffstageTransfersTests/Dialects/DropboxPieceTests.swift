// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

/// Uploads through a concurrent session: several chunks at once.
@Suite struct DropboxPieceTests {
    private static let opened = DropboxBench.answer(200, #"{"session_id":"s1"}"#)
    private static let reopened = DropboxBench.answer(200, #"{"session_id":"s2"}"#)
    private static let stored = DropboxBench.answer(200, "null")
    private static let gone = DropboxBench.conflict(#"{".tag":"not_found"}"#)
    private static let closed = DropboxBench.conflict(#"{".tag":"closed"}"#)
    private static let mebibyte: Int64 = 1 << 20
    private let size: Int64 = 100 * mebibyte + 1
    /// The last byte, which closes the session.
    private static let last = DropboxStep.close(100 * mebibyte, 1)

    /// An append, in MiB.
    private static func chunk(_ offset: Int64, _ count: Int64) -> DropboxStep {
        .append(offset * mebibyte, count * mebibyte)
    }

    private static func lookup(_ tag: String) -> Answer {
        DropboxBench.conflict(#"{".tag":"lookup_failed","lookup_failed":{".tag":"\#(tag)"}}"#)
    }

    private func upload(
        _ size: Int64? = nil,
        memory: [UInt8]? = nil,
        now: Moment = DropboxBench.start,
        _ change: (inout DropboxParameters) -> Void = { _ in }
    ) throws -> DropboxUpload {
        try DropboxBench.upload(size: size ?? self.size, memory: memory, now: now) {
            $0.connections = 4
            change(&$0)
        }
    }

    /// An upload of 100 MiB and a byte with its first four chunks in transit.
    private func filling() throws -> DropboxUpload {
        var upload = try upload()
        #expect(upload.fill().map { DropboxStep($0) } == [.startConcurrent])
        let steps = upload.fill(after: Self.opened)
        #expect(
            steps == [
                Self.chunk(0, 8), Self.chunk(8, 8), Self.chunk(16, 8), Self.chunk(24, 8),
            ]
        )
        return upload
    }

    /// An upload whose last byte, which closes the session, is in transit.
    private func closing() throws -> DropboxUpload {
        var upload = try filling()
        for _ in 0..<100 {
            if upload.fill(after: Self.stored, lane: 0).first == Self.last { return upload }
            for lane in 1..<4 {
                if upload.fill(after: Self.stored, lane: lane).first == Self.last { return upload }
            }
        }
        Issue.record("it is not closed")
        return upload
    }

    private func committing() throws -> DropboxUpload {
        var upload = try closing()
        #expect(upload.fill(after: Self.stored) == [.finish(size, 0)])
        return upload
    }

    // MARK: - The way

    @Test func `a large file goes in several chunks at once, is closed with its last block, and then committed`() throws
    {
        var upload = try committing()
        #expect(upload.acknowledged == size)
        #expect(upload.fill(after: DropboxBench.file(size: size)) == [])
        #expect(upload.step() == .done)
    }

    @Test func `which files go in several chunks at once`() throws {
        func first(_ size: Int64, free: Int? = nil, _ change: (inout DropboxParameters) -> Void) throws -> DropboxStep?
        {
            var upload = try DropboxBench.upload(size: size, change)
            upload.freeConnections = free
            return upload.fill().first.map { DropboxStep($0) }
        }
        let usual: (inout DropboxParameters) -> Void = { $0.connections = nil }
        #expect(try first(5 << 20, usual) == .upload)
        #expect(try first(32 << 20, usual) == .start)
        #expect(try first((32 << 20) + 1, usual) == .startConcurrent)
        #expect(try first((32 << 20) + 1) { $0.connections = 1 } == .start)
        #expect(try first(100 << 20, free: 0, usual) == .start, "other transfers use the host")
        #expect(try first(100 << 20, free: 1, usual) == .startConcurrent)
        #expect(try first(100 << 20, free: 0) { $0.connections = 2 } == .startConcurrent, "its owner wants two")
    }

    @Test(
        arguments: [(nil, nil, 4), (nil, 0, 1), (nil, 2, 3), (nil, 9, 4), (16, 0, 16), (1, 9, 1)] as [(Int?, Int?, Int)]
    )
    func `how many chunks go at once`(chosen: Int?, free: Int?, lanes: Int) throws {
        var upload = try upload { $0.connections = chosen }
        upload.freeConnections = free
        #expect(upload.lanes == lanes)
    }

    @Test func `an upload whose owner limits its speed uses one connection`() throws {
        var spec = try DropboxBench.spec(size: size) { $0.connections = nil }
        spec.rateLimit = 1 << 20
        #expect(try DropboxUpload(spec, memory: nil, now: DropboxBench.start).lanes == 1)
    }

    @Test(arguments: [33 << 20, 100 << 20, 1 << 30, 5_000_000_001] as [Int64])
    func `chunks begin and end at blocks, grow to 64 MiB, and are all of the file once`(size: Int64) throws {
        var upload = try upload(size)
        _ = upload.fill()
        upload.answered(Self.opened, lane: 0, now: DropboxBench.start)
        var requests = upload.fill()
        var sent = RangeSet<Int64>()
        let block = 4 * Self.mebibyte
        var largest: Int64 = 0
        while let request = requests.first {
            requests.removeFirst()
            let step = DropboxStep(request)
            switch step {
            case .append(let offset, let count):
                #expect(offset % block == 0 && count % block == 0 && count > 0)
                #expect(sent.intersection(RangeSet(offset..<offset + count)).isEmpty)
                sent.insert(contentsOf: offset..<offset + count)
                largest = max(largest, count)
            case .close(let offset, let count):
                #expect(requests.isEmpty && offset % block == 0 && (1...block).contains(count))
                sent.insert(contentsOf: offset..<offset + count)
            default: break
            }
            if step == .finish(size, 0) { break }
            let body = RequestBody(request.body.segments)
            #expect(request.argument["content_hash"].string == SymbolicContent(body, version: 1).contentHash)
            upload.answered(Self.stored, lane: request.lane, now: DropboxBench.start)
            requests += upload.fill()
        }
        #expect(sent == RangeSet(0..<size))
        #expect(largest == 64 * Self.mebibyte || size < 512 * Self.mebibyte)
    }

    // MARK: - Memory

    @Test func `what was acknowledged is remembered, and the rest is sent`() throws {
        var upload = try filling()
        #expect(upload.fill(after: Self.stored, lane: 2) == [Self.chunk(32, 20)])
        let memory = try #require(upload.memory)
        #expect(memory.count < 500)
        #expect(String(decoding: memory, as: UTF8.self).contains(#""v":2"#))
        var next = try self.upload(memory: memory)
        #expect(next.acknowledged == 8 << 20)
        #expect(next.standing == "8.00 MiB of 100 MiB are stored in an upload session")
        #expect(next.fill().map { DropboxStep($0) }.prefix(2) == [Self.chunk(0, 16), Self.chunk(24, 20)])
    }

    @Test func `a memory that makes no sense is none`() throws {
        var upload = try filling()
        _ = upload.fill(after: Self.stored, lane: 2)
        let text = String(decoding: try #require(upload.memory), as: UTF8.self)
        #expect(text.contains(#""pieces":[16777216,25165824]"#))
        for (found, other) in [
            (#""v":2"#, #""v":1"#), ("[16777216,", "[16777217,"), (",25165824]", ",25165825]"),
            (",25165824]", ",104857602]"),
        ] {
            let other = text.replacing(found, with: other)
            #expect(other != text)
            var next = try self.upload(memory: Array(other.utf8))
            #expect(next.fill().map { DropboxStep($0) } == [.startConcurrent], "\(other)")
        }
        // Without valid pieces, everything is sent.
        for pieces in ["[]", "[25165824,16777216]", "[16777216]", "7"] {
            let other = text.replacing("[16777216,25165824]", with: pieces)
            var next = try self.upload(memory: Array(other.utf8))
            #expect(next.acknowledged == 0)
            #expect(next.fill().map { DropboxStep($0) }.first == Self.chunk(0, 28), "\(pieces)")
        }
    }

    @Test func `a sequential session that is half full stays one`() throws {
        var old = try DropboxBench.upload(size: size)
        _ = old.step()
        #expect(old.step(after: Self.opened) == Self.chunk(0, 8))
        #expect(old.step(after: Self.stored) == Self.chunk(8, 32))
        var upload = try upload(memory: old.memory)
        #expect(upload.lanes == 1)
        #expect(upload.step() == .append(8 << 20, 0), "it is asked how much has arrived")
    }

    @Test func `a concurrent session goes on over as many connections as there are`() throws {
        var upload = try filling()
        _ = upload.fill(after: Self.stored, lane: 0)
        var next = try self.upload(memory: upload.memory) { $0.connections = nil }
        next.freeConnections = 0
        #expect(next.lanes == 1)
        #expect(next.fill().map { DropboxStep($0) } == [Self.chunk(8, 32)])
    }

    @Test func `a session is left before its seven days are over, whatever is on its way`() throws {
        var upload = try filling()
        let later = DropboxBench.moment(7 * 86_400)
        #expect(upload.fill(after: Self.stored, lane: 0, at: later) == [])
        for lane in 1..<3 { #expect(upload.fill(after: Self.stored, lane: lane, at: later) == []) }
        #expect(upload.fill(after: Self.stored, lane: 3, at: later) == [.startConcurrent])
        #expect(upload.acknowledged == 0)
        // A file that may be committed is looked up first.
        var last = try committing()
        var next = try self.upload(memory: last.memory, now: later)
        #expect(next.step(at: later) == .metadata)
        #expect(last.fill(after: Self.lookup("not_found"), at: later) == [.metadata])
    }

    // MARK: - Other servers

    @Test func `a server without concurrent sessions gets a sequential one, in silence`() throws {
        for answer in [
            DropboxBench.answer(400, "unknown field"), DropboxBench.conflict(#"{".tag":"other"}"#),
            DropboxBench.conflict(#"{".tag":"concurrent_session_data_not_allowed"}"#),
        ] {
            var upload = try upload()
            _ = upload.fill()
            #expect(upload.fill(after: answer) == [.start])
            #expect(upload.fill(after: Self.opened) == [Self.chunk(0, 8)])
            #expect(upload.lanes == 1)
            // The next attempt does not try again.
            var next = try self.upload(memory: upload.memory)
            #expect(next.step() == .append(0, 0))
            // If the kind was not the reason, the second refusal shows it.
            upload = try self.upload()
            _ = upload.fill()
            #expect(upload.fill(after: answer) == [.start])
            #expect(upload.fill(after: answer) == [])
            guard case .failed = upload.step() else { return _ = Issue.record("it goes on") }
        }
        for answer in [DropboxBench.answer(503), DropboxBench.answer(429), DropboxBench.answer(403)] {
            var upload = try upload()
            _ = upload.fill()
            #expect(upload.fill(after: answer) == [])
            var next = try self.upload(memory: upload.memory)
            #expect(next.fill().map { DropboxStep($0) } == [.startConcurrent], "it says nothing of the kind")
        }
    }

    @Test func `a session that turns out to be sequential is left, with what was on its way`() throws {
        for error in [
            #"{".tag":"incorrect_offset","correct_offset":8388608}"#, #"{".tag":"concurrent_session_invalid_offset"}"#,
            #"{".tag":"concurrent_session_invalid_data_size"}"#,
        ] {
            var upload = try filling()
            #expect(upload.fill(after: DropboxBench.conflict(error), lane: 1) == [])
            #expect(upload.fill(after: Self.stored, lane: 0) == [])
            #expect(upload.fill(after: DropboxBench.answer(503), lane: 2) == [], "it is not asked any more")
            #expect(upload.fill(after: Self.gone, lane: 3) == [.start])
            #expect(upload.fill(after: Self.reopened) == [Self.chunk(0, 8)])
            #expect(upload.lanes == 1)
        }
    }

    @Test func `a session that took chunks and refuses one is begun anew, and the second one is the last`() throws {
        for error in [
            #"{".tag":"incorrect_offset","correct_offset":8388608}"#, #"{".tag":"concurrent_session_invalid_offset"}"#,
        ] {
            var upload = try filling()
            let second = refuses(&upload, DropboxBench.conflict(error))
            #expect(second == [.startConcurrent])
            // An attempt that starts here knows that it was the first.
            var next = try self.upload(memory: upload.memory)
            #expect(next.fill().map { DropboxStep($0) } == [.startConcurrent])
            for var other in [upload, next] {
                #expect(other.fill(after: Self.reopened).count == 4)
                let third = refuses(&other, DropboxBench.conflict(error))
                #expect(third == [.start])
                #expect(other.lanes == 1)
                var last = try self.upload(memory: other.memory)
                #expect(last.fill().map { DropboxStep($0) } == [.start], "it is remembered")
            }
        }
    }

    /// Stores one of four chunks, refuses the next, and stores the other two.
    ///
    /// - Returns: the requests sent then.
    private func refuses(_ upload: inout DropboxUpload, _ answer: Answer) -> [DropboxStep] {
        #expect(upload.fill(after: Self.stored, lane: 0).count == 1)
        #expect(upload.fill(after: answer, lane: 1) == [])
        for lane in [0, 2] { #expect(upload.fill(after: Self.stored, lane: lane) == []) }
        return upload.fill(after: Self.stored, lane: 3)
    }

    // MARK: - A line that carries little

    private static let lost = TransferFailure(.connectionLost, "it broke")

    /// The memory after so many consecutive attempts that broke while all of their chunks were in transit.
    private func broken(
        _ times: Int,
        size: Int64? = nil,
        from memory: [UInt8]? = nil,
        sent: Int64 = 1 << 20
    ) throws -> [UInt8]? {
        var memory = memory
        for _ in 0..<times {
            var upload = try self.upload(size, memory: memory)
            var requests = upload.fill()
            if requests.first.map({ DropboxStep($0) }) == .startConcurrent {
                upload.answered(Self.opened, lane: 0, now: DropboxBench.start)
                requests = upload.fill()
            }
            let lane = try #require(requests.last).lane
            #expect(upload.broke(Self.lost, lane: lane, sent: sent, now: DropboxBench.start) == Self.lost)
            memory = upload.memory
        }
        return memory
    }

    /// The first requests of the next attempt.
    private func first(_ memory: [UInt8]?) throws -> [DropboxStep] {
        var upload = try self.upload(memory: memory)
        return upload.fill().map { DropboxStep($0) }
    }

    @Test func `after a break without one stored chunk less is sent at once, then less in a chunk, and then in order`()
        throws
    {
        #expect(try first(broken(1)) == [Self.chunk(0, 8), Self.chunk(8, 8)])
        #expect(try first(broken(2)) == [Self.chunk(0, 8)])
        #expect(try first(broken(3)) == [Self.chunk(0, 4)])
        var upload = try self.upload(memory: broken(4))
        #expect(upload.fill().map { DropboxStep($0) } == [.start])
        #expect(upload.fill(after: Self.reopened) == [Self.chunk(0, 4)])
        // The received part of a chunk of that session is kept.
        _ = upload.broke(Self.lost, lane: 0, sent: 7, now: DropboxBench.start)
        #expect(try first(upload.memory) == [.append(0, 0)])
    }

    @Test func `a server that is not reached says nothing of what the line carries`() throws {
        #expect(try first(broken(1, sent: 0)) == [Self.chunk(0, 8), Self.chunk(8, 8)], "it may refuse connections")
        let memory = try broken(2, sent: 0)
        #expect(try first(memory) == [Self.chunk(0, 8)])
        #expect(try broken(5, from: memory, sent: 0) == memory)
        var upload = try filling()
        let before = upload.memory
        _ = upload.broke(TransferFailure(.sourceChanged, "it changed"), lane: 2, sent: 7, now: DropboxBench.start)
        #expect(upload.memory == before)
    }

    @Test func `after a break with a stored chunk as much is sent at once as before`() throws {
        var upload = try filling()
        _ = upload.fill(after: Self.stored, lane: 2, at: DropboxBench.moment(5))
        _ = upload.broke(Self.lost, lane: 0, sent: 7, now: DropboxBench.moment(6))
        #expect(
            try first(upload.memory) == [Self.chunk(0, 8), Self.chunk(8, 8), Self.chunk(24, 8), Self.chunk(32, 8)]
        )
    }

    @Test func `a session with stored chunks is given up only after as many breaks as sending them again would take`()
        throws
    {
        var upload = try filling()
        _ = upload.fill(after: Self.stored, lane: 0, at: DropboxBench.moment(5))
        let memory = try broken(4, from: upload.memory)
        #expect(try first(memory) == [Self.chunk(8, 4)])
        #expect(try self.upload(memory: memory).acknowledged == 8 << 20)
        #expect(try first(broken(1, from: memory)) == [.start])
        // One block that arrives is enough to continue.
        var next = try self.upload(memory: memory)
        _ = next.fill()
        #expect(next.fill(after: Self.stored, at: DropboxBench.moment(5)) == [Self.chunk(12, 4)])
        #expect(try first(broken(2, from: next.memory)) == [Self.chunk(12, 4)])
        #expect(try first(broken(3, from: next.memory)) == [.start])
    }

    @Test func `once chunks are stored again, more are sent at once`() throws {
        let size: Int64 = 2 << 30
        var upload = try self.upload(size, memory: broken(2, size: size))
        var underway = upload.fill()
        for stored in 1...8 {
            let request = try #require(underway.first)
            underway.removeFirst()
            upload.answered(Self.stored, lane: request.lane, now: DropboxBench.start)
            underway += upload.fill()
            #expect(upload.lanes == (stored < 4 ? 1 : stored < 8 ? 2 : 4))
            #expect(underway.count == upload.lanes)
        }
        let text = String(decoding: try #require(upload.memory), as: UTF8.self)
        #expect(!text.contains("lanes") && !text.contains("inVain"))
    }

    @Test func `a memory of a line that makes no sense is none`() throws {
        var upload = try filling()
        _ = upload.fill(after: Self.stored, lane: 0, at: DropboxBench.moment(5))
        let text = String(decoding: try #require(try broken(4, from: upload.memory)), as: UTF8.self)
        #expect(text.contains(#""lanes":1"#) && text.contains(#""inVain":1"#))
        for (key, value) in [("lanes", "0"), ("lanes", "17"), ("lanes", "-1"), ("lanes", "[]"), ("inVain", "-1")] {
            let other = text.replacing("\"\(key)\":1", with: "\"\(key)\":\(value)")
            #expect(other != text)
            #expect(try first(Array(other.utf8)) == [.startConcurrent], "\(other)")
        }
        // However often it was in vain, the attempt ends.
        let often = text.replacing(#""inVain":1"#, with: "\"inVain\":\(Int.max)")
        #expect(try first(broken(1, from: Array(often.utf8))) == [.start])
    }

    // MARK: - Lost answers

    @Test func `a session that is gone is begun anew, once all others are answered`() throws {
        for answer in [Self.gone, Self.closed] {
            var upload = try filling()
            #expect(upload.fill(after: answer, lane: 3) == [])
            #expect(upload.acknowledged == 0)
            for lane in 0..<2 { #expect(upload.fill(after: answer, lane: lane) == []) }
            #expect(upload.fill(after: Self.stored, lane: 2) == [.startConcurrent])
            #expect(upload.fill(after: Self.reopened).count == 4)
        }
    }

    @Test func `a lost answer to the closing of a session`() throws {
        let upload = try closing()
        // The request had an effect, or none.
        for answer in [Self.closed, Self.stored] {
            var next = try self.upload(memory: upload.memory)
            #expect(next.fill().map { DropboxStep($0) } == [Self.last])
            #expect(next.fill(after: answer) == [.finish(size, 0)])
            #expect(next.fill(after: DropboxBench.file(size: size)) == [])
            #expect(next.step() == .done)
        }
        var next = try self.upload(memory: upload.memory)
        _ = next.fill()
        #expect(next.fill(after: Self.gone) == [.startConcurrent], "nothing of it was committed")
    }

    @Test func `a lost answer to the commit`() throws {
        let upload = try committing()
        var next = try self.upload(memory: upload.memory)
        #expect(next.fill().map { DropboxStep($0) } == [.finish(size, 0)])
        for tag in ["not_found", "closed"] {
            var other = next
            #expect(other.fill(after: Self.lookup(tag)) == [.metadata])
            #expect(other.fill(after: DropboxBench.file(size: size)) == [])
            #expect(other.step() == .done)
        }
        #expect(next.fill(after: DropboxBench.file(size: size, version: 2)) == [])
        #expect(next.step() == .failed(.contentMismatch), "what is committed must be the file")
    }

    @Test func `a session that is not closed as it said is closed once more, and not for ever`() throws {
        for answer in [
            DropboxBench.conflict(#"{".tag":"concurrent_session_not_closed"}"#), Self.lookup("not_closed"),
        ] {
            var upload = try committing()
            #expect(upload.fill(after: answer) == [Self.last])
            // The file may have been committed since: it is looked up, as after any other commit request.
            var other = upload
            #expect(other.fill(after: Self.gone) == [.metadata])
            #expect(upload.fill(after: Self.stored) == [.finish(size, 0)])
            for _ in 0..<20 where !upload.fill(after: answer).isEmpty { _ = upload.fill(after: Self.stored) }
            #expect(upload.step() == .failed(.serverMisbehaves))
        }
    }

    @Test func `bytes that a server has lost are sent again, in another session`() throws {
        for answer in [
            DropboxBench.conflict(#"{".tag":"concurrent_session_missing_data"}"#),
            DropboxBench.conflict(
                #"{".tag":"lookup_failed","lookup_failed":{".tag":"incorrect_offset","correct_offset":8388608}}"#
            ),
        ] {
            var upload = try committing()
            let memory = upload.memory
            #expect(upload.fill(after: answer) == [.startConcurrent])
            #expect(upload.acknowledged == 0)
            // A request of an earlier attempt may have committed it in the meantime.
            var next = try self.upload(memory: memory)
            _ = next.fill()
            #expect(next.fill(after: answer) == [.metadata])
            #expect(next.fill(after: DropboxBench.file(size: size)) == [])
            #expect(next.step() == .done)
        }
    }

    // MARK: - Refusals

    @Test func `what others are sending is finished, and the longest wait counts`() throws {
        var upload = try filling()
        let limited = [3, 300, 30].map {
            DropboxBench.answer(429, #"{"error":{"reason":{".tag":"x"},"retry_after":\#($0)}}"#)
        }
        for (lane, answer) in zip([2, 0, 3], limited) { #expect(upload.fill(after: answer, lane: lane) == []) }
        #expect(upload.next(now: DropboxBench.start) == .wait)
        #expect(upload.fill(after: Self.stored, lane: 1) == [])
        #expect(upload.step() == .failed(.serverBusy))
        #expect(upload.failure()?.retryAfter == 300)
        #expect(upload.acknowledged == 8 << 20)
        var next = try self.upload(memory: upload.memory)
        #expect(next.fill().map { DropboxStep($0) }.prefix(2) == [Self.chunk(0, 8), Self.chunk(16, 24)])
    }

    @Test func `what was decided counts, whatever breaks while the others are finished`() throws {
        let limited = DropboxBench.answer(429, #"{"error":{"reason":{".tag":"x"},"retry_after":300}}"#)
        for (answer, code) in [
            (limited, TransferFailure.Code.serverBusy), (DropboxBench.answer(403), .accountUnusable),
        ] {
            var upload = try filling()
            #expect(upload.fill(after: answer, lane: 0) == [])
            var other = upload
            let told = upload.broke(Self.lost, lane: 2, sent: 7, now: DropboxBench.start)
            #expect(told.code == code && told.retryAfter == (code == .serverBusy ? 300 : nil))
            // The same if the token that was requested before is denied.
            #expect(other.denied(TransferFailure(.accountUnusable, "it needs a new sign-in")) == told)
        }
        var upload = try filling()
        #expect(upload.denied(Self.lost) == Self.lost)
        #expect(upload.broke(Self.lost, lane: 2, sent: 7, now: DropboxBench.start) == Self.lost)
    }

    @Test func `a token that several requests find expired is renewed once`() throws {
        var upload = try filling()
        upload.answered(DropboxBench.expired(), lane: 1, now: DropboxBench.start)
        #expect(upload.next(now: DropboxBench.start) == .authorize(.account("dropbox"), rejecting: DropboxBench.secret))
        // In the meantime the other requests, sent with the old token, are answered.
        upload.answered(DropboxBench.expired(), lane: 0, now: DropboxBench.start)
        upload.answered(Self.stored, lane: 2, now: DropboxBench.start)
        upload.authorized(GrantedToken("another"))
        let again = upload.fill()
        #expect(again.allSatisfy { $0.headers["Authorization"] == "Bearer another" } && again.count == 3)
        #expect(again.map { DropboxStep($0) }.prefix(2) == [Self.chunk(0, 16), Self.chunk(32, 20)])
        upload.answered(DropboxBench.expired(), lane: 3, now: DropboxBench.start)
        #expect(upload.fill().map { DropboxStep($0) } == [Self.chunk(24, 8)], "an old one's fate says nothing")
        #expect(upload.fill(after: DropboxBench.expired(), lane: 3) == [], "a new one that is not taken is the end")
    }

    @Test func `bytes that arrived as others are hashed and sent again, in their place`() throws {
        var upload = try filling()
        let mismatch = DropboxBench.conflict(#"{".tag":"content_hash_mismatch"}"#)
        upload.answered(mismatch, lane: 1, now: DropboxBench.start)
        guard case .digest(let range) = upload.next(now: DropboxBench.start) else {
            return _ = Issue.record("they are not hashed again")
        }
        #expect(range == 8 * Self.mebibyte..<16 * Self.mebibyte)
        #expect(upload.fill().map { DropboxStep($0) } == [Self.chunk(8, 8)])
    }

    @Test func `a server that takes no more gets shorter chunks`() throws {
        var upload = try filling()
        #expect(upload.fill(after: DropboxBench.answer(413), lane: 0) == [Self.chunk(0, 4)])
        #expect(upload.fill(after: DropboxBench.answer(413), lane: 1) == [Self.chunk(4, 4)])
        #expect(upload.fill(after: Self.stored, lane: 2) == [Self.chunk(8, 4)])
    }

    @Test func `a yes that is not Dropbox's is none`() throws {
        for body in ["", "<html>hello</html>", "\"yes\"", "17", "[]"] {
            var upload = try filling()
            #expect(upload.fill(after: DropboxBench.answer(200, body), lane: 1) == [])
            #expect(upload.acknowledged == 0)
            var last = try closing()
            #expect(last.fill(after: DropboxBench.answer(200, body)) == [])
            #expect(last.step() == .failed(.serverMisbehaves))
        }
    }

    @Test func `where it stands is said in words`() throws {
        var upload = try filling()
        #expect(upload.standing == "0 B of 100 MiB are stored, and 4 chunks are on their way")
        _ = upload.fill(after: Self.stored, lane: 1)
        #expect(upload.standing == "8.00 MiB of 100 MiB are stored, and 4 chunks are on their way")
        #expect(try closing().standing == "sending the last 1 B of 100 MiB")
        #expect(try committing().standing == "committing it")
    }
}
