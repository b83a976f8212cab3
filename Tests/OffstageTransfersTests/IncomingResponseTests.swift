// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

struct IncomingResponseTests {
    private static func response(_ lines: [String]) -> IncomingResponse {
        var response = IncomingResponse()
        for line in lines { #expect(take(line, &response)) }
        return response
    }

    private static func take(_ line: String, _ response: inout IncomingResponse) -> Bool {
        var text = line + "\r\n"
        return text.withUTF8 { response.receive(UnsafeRawBufferPointer($0)) }
    }

    private static func keep(_ count: Int, _ response: inout IncomingResponse, isSpooled: Bool = false) -> Bool {
        [UInt8](repeating: 7, count: count).withUnsafeBytes { response.keep($0, isSpooled: isSpooled) }
    }

    @Test func `an interim response that says where to resume is reported once, and many of them are no flood`() {
        let lines = [
            "HTTP/1.1 104 Upload Resumption Supported", "Upload-Offset: 1",
            "X-Pad: " + String(repeating: "x", count: 250),
        ]
        var response = Self.response(["HTTP/1.1 100 Continue", ""])
        #expect(response.resumption == nil)
        for line in lines { #expect(Self.take(line, &response) && response.resumption == nil) }
        #expect(Self.take("", &response) && response.resumption?.first?.value == "1")
        #expect(Self.take("HTTP/1.1 200 OK", &response) && response.resumption == nil)
        // 3 MB of them, while other heads are limited to 2 MB in all.
        var patient = IncomingResponse()
        for _ in 0..<10_000 {
            for line in lines + [""] { guard Self.take(line, &patient) else { Issue.record("too many"); return } }
        }
        var flood = IncomingResponse()
        var isTaken = true
        for _ in 0..<30_000 where isTaken { isTaken = (lines + [""]).allSatisfy { Self.take($0, &flood) } }
        #expect(!isTaken, "they may not go on without end")
    }

    @Test(arguments: [
        (length: "10", received: 10, isCutShort: false),
        (length: "10", received: 9, isCutShort: true),
        (length: "0", received: 0, isCutShort: false),
        (length: "ten", received: 3, isCutShort: true),
        (length: nil, received: 0, isCutShort: false),
    ])
    func `an answer is cut short when it has less than its length says`(
        length: String?,
        received: Int,
        isCutShort: Bool
    ) {
        let field = length.map { ["Content-Length: \($0)"] } ?? []
        var response = Self.response(["HTTP/1.1 400 Bad Request"] + field + [""])
        let isFine = Self.keep(received, &response)
        #expect(isFine)
        #expect(response.isCutShort == isCutShort)
    }

    @Test(arguments: [
        (retryAfter: "120", date: nil, seconds: "120"),
        (retryAfter: "Fri, 01 May 2026 10:01:00 GMT", date: "Fri, 01 May 2026 10:00:00 GMT", seconds: "60"),
        (retryAfter: "Fri, 01 May 2026 09:00:00 GMT", date: "Fri, 01 May 2026 10:00:00 GMT", seconds: "0"),
        (retryAfter: "soon", date: "Fri, 01 May 2026 10:00:00 GMT", seconds: "soon"),
    ])
    func `when to try again is said in seconds, by the server's own clock`(
        retryAfter: String,
        date: String?,
        seconds: String
    ) {
        let dates = date.map { ["Date: \($0)"] } ?? []
        let response = Self.response(["HTTP/1.1 503 Later", "Retry-After: \(retryAfter)"] + dates + [""])
        #expect(response.answerFields["Retry-After"] == seconds)
    }

    @Test func `a body that nobody wants whole is read for a while`() {
        var response = IncomingResponse()
        let isFine = Self.keep(IncomingResponse.readLimit, &response)
        #expect(isFine && !response.hasReadEnough)
        #expect(response.bodyStart.count == Answer.bodyStartLimit)
        let goesOn = Self.keep(1, &response)
        #expect(!goesOn && response.hasReadEnough)
        #expect(response.bodyBytes == IncomingResponse.readLimit + 1)
    }

    @Test func `a body that goes to the disk is read to its end`() {
        var response = IncomingResponse()
        let goesOn = Self.keep(IncomingResponse.readLimit + 1, &response, isSpooled: true)
        #expect(goesOn && !response.hasReadEnough)
    }

    @Test func `what follows a body is no other response`() {
        var response = Self.response(["HTTP/1.1 200 OK", "X-Kind: head", ""])
        response.plan = .answer
        for line in ["HTTP/1.1 500 No", "X-Kind: trailer", ""] {
            let isFine = Self.take(line, &response)
            #expect(isFine)
        }
        #expect(response.head.status == 200)
        #expect(response.head.fields["X-Kind"] == "head")
    }

    @Test func `only a word before the final response outlives a request that is sent once more`() {
        var response = Self.response(["HTTP/1.1 100 Continue", "", "HTTP/1.1 401 No", ""])
        #expect(response.hasHeardInterim)
        response.needsDigest = true
        response.plan = .answer
        let isFine = Self.keep(5, &response)
        #expect(isFine)
        response.beginAgain()
        #expect(response.hasHeardInterim && !response.needsDigest && response.isUndecided)
        #expect(response.head.status == 0 && response.bodyBytes == 0 && response.bodyStart.isEmpty)
    }
}
