// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

/// Every phase of an upload against every answer that Dropbox can give, and some that it cannot.
@Suite struct DropboxAnswerTests {
    @Test(arguments: Phase.allCases) func `each phase sends what it should`(phase: Phase) throws {
        let expected: DropboxStep =
            switch phase {
            case .upload: .upload
            case .start: .start
            case .firstAppend: .append(0, 8 << 20)
            case .secondAppend: .append(8 << 20, 32 << 20)
            case .finish: .finish(40 << 20, 20 << 20)
            case .emptyFinish: .finish(60 << 20, 0)
            case .metadata: .metadata
            }
        #expect(try phase.reach().1 == expected)
    }

    // MARK: - Statuses

    static let statuses: [(Answer, TransferFailure.Code)] = [
        (DropboxBench.answer(302), .httpStatus),
        (DropboxBench.answer(400, "Error in call to API function"), .httpStatus),
        (DropboxBench.answer(401, "{}"), .accountUnusable),
        (DropboxBench.answer(401, #"{"error":{".tag":"user_suspended"}}"#), .accountUnusable),
        (DropboxBench.answer(401, #"{"error":{".tag":"invalid_select_user"}}"#), .httpStatus),
        (DropboxBench.answer(401, #"{"error":{".tag":"invalid_select_admin"}}"#), .httpStatus),
        (DropboxBench.answer(401, #"{"error":{".tag":"from_the_future"}}"#), .accountUnusable),
        (DropboxBench.answer(404), .httpStatus),
        (DropboxBench.answer(408), .serverBusy),
        (DropboxBench.answer(409), .serverMisbehaves),
        (DropboxBench.answer(409, "[1, 2"), .serverMisbehaves),
        (DropboxBench.answer(409, #"{"error":{".tag":"from_the_future"}}"#), .serverMisbehaves),
        (DropboxBench.answer(422, #"{"error":{".tag":"invalid_root"}}"#), .httpStatus),
        (DropboxBench.answer(422, #"{"error":{".tag":"no_permission"}}"#), .httpStatus),
        (DropboxBench.answer(429), .serverBusy),
        (DropboxBench.answer(429, "too many"), .serverBusy),
        (DropboxBench.answer(429, #"{"error":{"reason":{".tag":"x"},"retry_after":300}}"#), .serverBusy),
        (DropboxBench.answer(500), .serverBusy),
        (DropboxBench.answer(503, "<html>"), .serverBusy),
        (DropboxBench.conflict(#"{".tag":"too_many_write_operations"}"#), .serverBusy),
        (DropboxBench.conflict(#"{".tag":"properties_error","properties_error":{".tag":"x"}}"#), .destinationRefused),
        (DropboxBench.conflict(#"{".tag":"encryption_not_supported"}"#), .destinationRefused),
    ]

    @Test(arguments: Phase.allCases) func `what no phase can do anything about ends the attempt`(phase: Phase) throws {
        for (answer, code) in Self.statuses {
            var (upload, _) = try phase.reach()
            let memory = upload.memory
            #expect(upload.step(after: answer) == .failed(code), "\(answer)")
            // Acknowledged bytes stay acknowledged, and the next attempt starts with the same.
            #expect(upload.acknowledged == phase.known.lowerBound)
            if code != .serverBusy { #expect(upload.memory == memory) }
            var next = try DropboxBench.upload(size: phase.size, memory: upload.memory)
            #expect(next.acknowledged == phase.known.lowerBound)
            let again = try phase.reach().1
            #expect(phase.isAppend || phase.isFinish || next.step() == again)
        }
    }

    @Test(arguments: Phase.allCases) func `a token that is not taken any more is renewed once`(phase: Phase) throws {
        // A 401 without a reason is treated the same.
        for answer in [
            DropboxBench.expired(), DropboxBench.expired("invalid_access_token"), DropboxBench.answer(401),
            DropboxBench.answer(401, "<html>"),
        ] {
            var (upload, step) = try phase.reach()
            upload.answered(answer, lane: 0, now: DropboxBench.start)
            #expect(
                upload.next(now: DropboxBench.start) == .authorize(.account("dropbox"), rejecting: DropboxBench.secret)
            )
            upload.authorized(GrantedToken("another"))
            #expect(upload.step() == step, "the same is sent again")
            guard case .send(let request) = upload.next(now: DropboxBench.start) else {
                return _ = Issue.record("nothing is sent")
            }
            #expect(request.headers["Authorization"] == "Bearer another")
            #expect(upload.step(after: answer) == .failed(.accountUnusable))
        }
    }

    @Test(arguments: Phase.allCases) func `what the account's app may not do is a person's matter`(phase: Phase) throws
    {
        for answer in [
            DropboxBench.answer(401, #"{"error":{".tag":"missing_scope","required_scope":"files.content.write"}}"#),
            DropboxBench.answer(401, #"{"error":{".tag":"route_access_denied"}}"#), DropboxBench.answer(403),
        ] {
            var (upload, _) = try phase.reach()
            // Without permission to read, it skips the query: the same content is committed only once.
            #expect(upload.step(after: answer) == (phase == .metadata ? .start : .failed(.accountUnusable)))
        }
    }

    // MARK: - The session

    static let wrapped: [@Sendable (String) -> Answer] = [
        { DropboxBench.conflict($0) },
        { DropboxBench.conflict(#"{".tag":"lookup_failed","lookup_failed":\#($0)}"#) },
    ]

    @Test(arguments: Phase.allCases) func `a session that is gone is looked for, or begun again`(phase: Phase) throws {
        for tag in ["not_found", "closed"] {
            for wrap in Self.wrapped {
                let expected: DropboxStep =
                    phase.isAppend ? .start : phase.isFinish ? .metadata : .failed(.serverMisbehaves)
                for error in [#"{".tag":"\#(tag)"}"#, #""\#(tag)""#] {
                    var (upload, _) = try phase.reach()
                    #expect(upload.step(after: wrap(error)) == expected)
                }
            }
        }
    }

    @Test(arguments: Phase.allCases) func `a session of another kind or size is given up`(phase: Phase) throws {
        let errors: [(String, TransferFailure.Code)] = [
            ("not_closed", .serverMisbehaves), ("too_large", .destinationRefused),
            ("concurrent_session_invalid_offset", .serverMisbehaves),
            ("concurrent_session_invalid_data_size", .serverMisbehaves),
            ("concurrent_session_data_not_allowed", .serverMisbehaves),
            ("concurrent_session_not_closed", .serverMisbehaves),
            ("concurrent_session_missing_data", .serverMisbehaves),
        ]
        for (tag, code) in errors {
            var (upload, _) = try phase.reach()
            #expect(upload.step(after: DropboxBench.conflict(#"{".tag":"\#(tag)"}"#)) == .failed(code))
        }
    }

    @Test(arguments: Phase.allCases) func `the byte that the server names decides`(phase: Phase) throws {
        let known = phase.known
        let mebibyte = DropboxBench.mebibyte
        let offsets = [
            -1, 0, 1, known.lowerBound - 1, known.lowerBound, known.lowerBound + 1, known.lowerBound + mebibyte,
            known.lowerBound + 4 * mebibyte, known.upperBound - 1, known.upperBound, known.upperBound + 1, .max,
        ]
        for offset in offsets {
            for wrap in Self.wrapped {
                var (upload, _) = try phase.reach()
                let answer = wrap(#"{".tag":"incorrect_offset","correct_offset":\#(offset)}"#)
                let step = upload.step(after: answer)
                guard phase.isAppend || phase.isFinish else {
                    #expect(step == .failed(.serverMisbehaves))
                    continue
                }
                guard known.contains(offset) else {
                    #expect(step == .start, "it has less than it said, or more than was ever sent")
                    #expect(upload.acknowledged == 0)
                    continue
                }
                #expect(upload.acknowledged == offset)
                let rest = phase.size - offset
                let inBlock = offset % (4 << 20)
                let chunk: Int64 = phase == .firstAppend ? 8 << 20 : phase == .secondAppend ? 32 << 20 : 128 << 20
                let most = inBlock == 0 ? chunk : (4 << 20) - inBlock
                #expect(step == (rest <= most ? .finish(offset, rest) : .append(offset, most)), "\(phase) \(offset)")
            }
        }
        // An error that names no session.
        var (upload, _) = try phase.reach()
        #expect(
            upload.step(after: DropboxBench.conflict(#"{".tag":"incorrect_offset"}"#)) == .failed(.serverMisbehaves)
        )
    }

    // MARK: - The body

    @Test(arguments: Phase.allCases) func `bytes that arrived as others are sent again, twice`(phase: Phase) throws {
        var (upload, step) = try phase.reach()
        for wrap in Self.wrapped {
            let answer = wrap(#"{".tag":"content_hash_mismatch"}"#)
            guard phase.carriesBytes else {
                #expect(upload.step(after: answer) == .failed(.serverMisbehaves))
                return
            }
            upload.answered(answer, lane: 0, now: DropboxBench.start)
            if phase != .emptyFinish {
                guard case .digest = upload.next(now: DropboxBench.start) else {
                    return _ = Issue.record("they are not hashed again")
                }
            }
            #expect(upload.step() == step)
        }
        #expect(
            upload.step(after: DropboxBench.conflict(#"{".tag":"content_hash_mismatch"}"#))
                == .failed(.serverMisbehaves)
        )
    }

    @Test(arguments: Phase.allCases) func `a body that is too long is sent in shorter ones`(phase: Phase) throws {
        let answers =
            Self.wrapped.map { $0(#"{".tag":"payload_too_large"}"#) } + [DropboxBench.answer(413, "<html>")]
        for answer in answers {
            var (upload, _) = try phase.reach()
            let mebibyte = DropboxBench.mebibyte
            let expected: DropboxStep =
                switch phase {
                case .upload: .start
                case .firstAppend: .append(0, 4 * mebibyte)
                case .secondAppend: .append(8 * mebibyte, 16 * mebibyte)
                case .finish: .append(40 * mebibyte, 8 * mebibyte)
                case .start, .emptyFinish, .metadata: .failed(.badServerResponse)
                }
            #expect(upload.step(after: answer) == expected)
        }
    }

    // MARK: - The destination

    static let paths: [(String, TransferFailure.Code)] = [
        (#"{".tag":"malformed_path","malformed_path":"x"}"#, .destinationRefused),
        (#"{".tag":"conflict","conflict":{".tag":"file"}}"#, .destinationConflict),
        (#"{".tag":"conflict","conflict":{".tag":"folder"}}"#, .destinationConflict),
        (#"{".tag":"conflict","conflict":{".tag":"file_ancestor"}}"#, .destinationConflict),
        (#"{".tag":"conflict","conflict":{".tag":"from_the_future"}}"#, .destinationConflict),
        (#"{".tag":"no_write_permission"}"#, .destinationRefused),
        (#"{".tag":"insufficient_space"}"#, .quotaExceeded),
        (#"{".tag":"disallowed_name"}"#, .destinationRefused),
        (#"{".tag":"team_folder"}"#, .destinationRefused),
        (#"{".tag":"operation_suppressed"}"#, .destinationRefused),
        (#"{".tag":"too_many_write_operations"}"#, .serverBusy),
        (#"{".tag":"access_restricted"}"#, .destinationRefused),
        (#"{".tag":"from_the_future"}"#, .destinationRefused),
        (#""disallowed_name""#, .destinationRefused),
    ]

    @Test(arguments: [Phase.finish, .emptyFinish])
    func `what is wrong with the destination is told, and the bytes are not sent again`(phase: Phase) throws {
        for (error, code) in Self.paths {
            var (upload, _) = try phase.reach()
            #expect(upload.step(after: DropboxBench.conflict(#"{".tag":"path","path":\#(error)}"#)) == .failed(code))
            #expect(upload.acknowledged == phase.size)
            var next = try DropboxBench.upload(size: phase.size, memory: upload.memory)
            #expect(next.step() == .finish(phase.size, 0))
        }
    }

    @Test func `bytes that a refused commit did not store are sent again, and no others`() throws {
        let refusal = DropboxBench.conflict(#"{".tag":"path","path":{".tag":"insufficient_space"}}"#)
        var (upload, _) = try Phase.finish.reach()
        for _ in 0..<2 {
            #expect(upload.step(after: refusal) == .failed(.quotaExceeded))
            upload = try DropboxBench.upload(size: Phase.finish.size, memory: upload.memory)
            #expect(upload.step() == .finish(60 << 20, 0))
        }
        let answer = DropboxBench.conflict(
            #"{".tag":"lookup_failed","lookup_failed":{".tag":"incorrect_offset","correct_offset":\#(40 << 20)}}"#
        )
        #expect(upload.step(after: answer) == .finish(40 << 20, 20 << 20))
        #expect(upload.acknowledged == 40 << 20)
    }

    @Test func `what files/upload could not commit is committed from its session`() throws {
        for (error, code) in Self.paths {
            var (upload, _) = try Phase.upload.reach()
            let answer = DropboxBench.conflict(#"{".tag":"path","reason":\#(error),"upload_session_id":"kept"}"#)
            #expect(upload.step(after: answer) == .failed(code))
            var next = try DropboxBench.upload(size: 5 << 20, memory: upload.memory)
            #expect(next.step() == .finish(5 << 20, 0))
            guard case .send(let request) = next.next(now: DropboxBench.start) else {
                return _ = Issue.record("nothing is sent")
            }
            #expect(request.argument["cursor"]["session_id"] == "kept")
        }
        // Without an id there is nothing to commit from.
        var (upload, _) = try Phase.upload.reach()
        let answer = DropboxBench.conflict(#"{".tag":"path","reason":{".tag":"insufficient_space"}}"#)
        #expect(upload.step(after: answer) == .failed(.quotaExceeded))
        #expect(upload.memory == nil)
    }

    @Test func `what is at the destination decides about a commit that may have been`() throws {
        for (error, _) in Self.paths + [(#"{".tag":"not_found"}"#, .destinationRefused)] {
            var (upload, _) = try Phase.metadata.reach()
            #expect(upload.step(after: DropboxBench.conflict(#"{".tag":"path","path":\#(error)}"#)) == .start)
        }
    }

    // MARK: - Success

    @Test(arguments: Phase.allCases) func `a yes that is not Dropbox's is none`(phase: Phase) throws {
        for body in ["", "<html>hello</html>", "\"yes\"", "17", "[]", "{\"session_id\":\"\"}"] {
            var (upload, _) = try phase.reach()
            let step = upload.step(after: DropboxBench.answer(200, body))
            if phase.isAppend, body.hasPrefix("{") {
                #expect(step != .failed(.serverMisbehaves))
            } else {
                #expect(step == (phase.isFinish ? .metadata : .failed(.serverMisbehaves)))
            }
        }
    }

    @Test(arguments: [Phase.upload, .finish, .emptyFinish, .metadata])
    func `what Dropbox has committed must be the file`(phase: Phase) throws {
        let size = phase.size
        var (upload, _) = try phase.reach()
        let answer = DropboxBench.file(size: size)
        #expect(upload.step(after: answer) == .done)
        #expect(upload.next(now: DropboxBench.start) == .finish(answer))
        #expect(upload.acknowledged == size)

        for other in [DropboxBench.file(size: size + 1), DropboxBench.file(size: size, version: 2)] {
            (upload, _) = try phase.reach()
            #expect(
                upload.step(after: other) == .failed(phase == .metadata ? .destinationConflict : .contentMismatch)
            )
            #expect(upload.acknowledged == 0)
            var next = try DropboxBench.upload(size: size, memory: upload.memory)
            #expect(next.step() == (phase == .upload ? .upload : .start), "another attempt begins with nothing")
        }
        // Without a hash the size is compared after a commit; before a commit it proves too little.
        (upload, _) = try phase.reach()
        let silent = DropboxBench.answer(200, #"{"name":"film.mov","size":\#(size)}"#)
        #expect(upload.step(after: silent) == (phase == .metadata ? .start : .done))
    }
}
