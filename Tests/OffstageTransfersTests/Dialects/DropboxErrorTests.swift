// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

@Suite struct DropboxErrorTests {
    @Test func `errors are read in each shape that they come in`() {
        func kind(_ error: String) -> DropboxError.Kind { DropboxError(DropboxBench.conflict(error)).kind }
        #expect(
            kind(#"{".tag":"incorrect_offset","correct_offset":4194304}"#) == .session(.incorrectOffset(4_194_304))
        )
        #expect(
            kind(#"{".tag":"lookup_failed","lookup_failed":{".tag":"incorrect_offset","correct_offset":1252}}"#)
                == .session(.incorrectOffset(1252))
        )
        #expect(
            kind(
                #"{".tag":"path","reason":{".tag":"conflict","conflict":{".tag":"file"}},"upload_session_id":"s"}"#
            ) == .path(.conflict(.file), session: "s")
        )
        #expect(
            kind(#"{".tag":"path","path":{".tag":"conflict","conflict":{".tag":"folder"}}}"#)
                == .path(.conflict(.folder), session: nil)
        )
        #expect(kind(#""too_many_write_operations""#) == .tooManyWriteOperations)
        #expect(
            kind(#"{".tag":"lookup_failed","lookup_failed":{".tag":"lookup_failed"}}"#) == .unknown("lookup_failed")
        )
        #expect(kind(#"{".tag":"new"}"#) == .unknown("new"))
        #expect(kind("17") == .nonsense)
    }

    @Test func `the wait that the server asks for is heeded, wherever it stands`() {
        let body = #"{"error_summary":"x/..","error":{"reason":{".tag":"too_many_requests"},"retry_after":300}}"#
        func wait(_ answer: Answer) -> Double? {
            DropboxError(answer).failure(destination: "d", account: "a").retryAfter
        }
        #expect(wait(DropboxBench.answer(429, body)) == 300)
        #expect(wait(DropboxBench.answer(429, body, [HeaderField(name: "retry-after", value: "7")])) == 7)
        #expect(wait(DropboxBench.answer(429, "slow down")) == 1)
        #expect(wait(DropboxBench.answer(503, "", [HeaderField(name: "Retry-After", value: "30")])) == 30)
        #expect(wait(DropboxBench.answer(503)) == nil)
        #expect(wait(DropboxBench.answer(400, "", [HeaderField(name: "Retry-After", value: "30")])) == nil)
    }

    @Test func `a token that the server repeats is hidden, wherever a sentence would have cut it`() throws {
        let token = "sl." + String(repeating: "secret-", count: 30)
        func detail(_ answer: Answer) throws -> String {
            var upload = try DropboxBench.upload(size: 5 << 20)
            _ = upload.step(token: token)
            _ = upload.step(after: answer)
            let failure = upload.failure()
            return try #require(failure).detail
        }
        let json = #"{"error":{".tag":"other\#(token)"},"user_message":{"text":"Bearer \#(token) is bad"}}"#
        let header = HeaderField(name: "X-Dropbox-Request-Id", value: "id-\(token)")
        for answer in [
            DropboxBench.answer(400, "Error in call: Authorization: Bearer \(token)"), DropboxBench.answer(409, json),
            DropboxBench.answer(
                401,
                #"{"error":{".tag":"missing_scope","required_scope":"\#(token)"}}"#
            ),
            DropboxBench.answer(400, "no", [header]),
        ] {
            let detail = try detail(answer)
            #expect(detail.contains("(hidden)") && !detail.contains("sl.") && !detail.contains("secret"), "\(detail)")
        }
    }

    @Test func `a failure says what happened to what, and what Dropbox's support asks for`() {
        let error = DropboxError(
            DropboxBench.answer(
                409,
                #"{"error":{".tag":"path","path":{".tag":"insufficient_space"}},"user_message":{"text":"Buy more."}}"#,
                [HeaderField(name: "x-dropbox-request-id", value: "0abc\u{1b}[1m")]
            )
        )
        let failure = error.failure(destination: "dropbox:/a", account: "dropbox")
        #expect(failure.code == .quotaExceeded)
        #expect(
            failure.detail == "the account has no room left for dropbox:/a; Dropbox says: Buy more. "
                + "(path/insufficient_space, request 0abc\u{FFFD}[1m)"
        )
    }

    @Test func `a failure never quotes the token`() throws {
        var upload = try DropboxBench.upload(size: 1)
        _ = upload.step()
        let text = #"Invalid authorization value in HTTP header "Authorization": "Bearer \#(DropboxBench.secret)"."#
        #expect(upload.step(after: DropboxBench.answer(400, text)) == .failed(.httpStatus))
        let detail = try #require(upload.failure()?.detail)
        #expect(!detail.contains(DropboxBench.secret))
        #expect(detail.contains("Invalid authorization value"))
    }
}
