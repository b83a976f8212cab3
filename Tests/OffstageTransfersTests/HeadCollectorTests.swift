// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

struct HeadCollectorTests {
    private func collect(_ lines: [String]) -> HeadCollector {
        var head = HeadCollector()
        for line in lines { #expect(take(line, &head)) }
        return head
    }

    private func take(_ line: String, _ head: inout HeadCollector) -> Bool {
        var text = line + "\r\n"
        return text.withUTF8 { head.receive(UnsafeRawBufferPointer($0)) }
    }

    @Test func `a head is taken apart into status, version and fields`() {
        let head = collect(["HTTP/1.1 206 Partial Content", "ETag: \"x\"", "X-Empty:", "X-Space:\t a b \t", ""])
        #expect(head.isComplete)
        #expect(head.status == 206)
        #expect(head.httpVersion == "1.1")
        #expect(
            head.fields == [
                HeaderField(name: "ETag", value: "\"x\""),
                HeaderField(name: "X-Empty", value: ""),
                HeaderField(name: "X-Space", value: "a b"),
            ]
        )
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK", 200), ("HTTP/1.1 999", 999), ("HTTP/1.1 2000 OK", 0), ("HTTP/1.1 20 OK", 0),
        ("HTTP/1.1 200x OK", 0), ("HTTP/1.1 OK", 0), ("HTTP/1.1 -20 OK", 0), ("HTTP/1.1", 0), ("HTTP/1.1  200 OK", 0),
        ("HTTP/1.1 99999999999999999999 OK", 0),
    ])
    func `a status is three digits`(line: String, status: Int) {
        #expect(collect([line, ""]).status == status)
    }

    @Test func `a trailer that looks like a response is none`() {
        var head = collect(["HTTP/1.1 500 No", "A: 1", ""])
        var text = "HTTP/1.1 200 OK\r\n"
        #expect(text.withUTF8 { head.receive(UnsafeRawBufferPointer($0), isTrailer: true) })
        #expect(head.status == 500)
        #expect(head.isComplete)
    }

    @Test func `a status line without a reason is understood`() {
        let head = collect(["HTTP/2 200", ""])
        #expect(head.status == 200)
        #expect(head.httpVersion == "2")
    }

    @Test func `only the latest response counts`() {
        let head = collect(["HTTP/1.1 100 Continue", "X-Old: 1", "", "HTTP/1.1 201 Created", "X-New: 2"])
        #expect(!head.isComplete)
        #expect(head.status == 201)
        #expect(head.fields == [HeaderField(name: "X-New", value: "2")])
    }

    @Test func `trailers do not join the head`() {
        let head = collect(["HTTP/1.1 200 OK", "A: 1", "", "B: 2", ""])
        #expect(head.fields == [HeaderField(name: "A", value: "1")])
    }

    @Test func `a folded line goes on with the value before`() {
        let head = collect(["HTTP/1.1 200 OK", "A: one", "  two", ""])
        #expect(head.fields == [HeaderField(name: "A", value: "one two")])
    }

    @Test(arguments: [
        (["Content-Length: 5"], false), (["Content-Length : 5"], true), (["transfer-encoding\t: chunked"], true),
        (["Content-Encoding : gzip"], true), (["Transfer-Encoding:", " chunked"], true),
        (["Content-Length: 5", "\t5"], true), (["A: 1", " Transfer-Encoding: chunked"], false),
        ([" Content-Length: 5"], true), (["A : 1", "B: 2", "  3"], false),
        (["Content-Length: 5", "A: 1", " 2"], false),
        (["Content-Length: 5", "no colon", " 5"], true), ([], false),
    ])
    func `a field that frames the body can be read in one way`(lines: [String], isAmbiguous: Bool) {
        let head = collect(["HTTP/1.1 200 OK"] + lines + [""])
        #expect(head.isAmbiguous == isAmbiguous)
    }

    @Test func `nothing has a status of its own yet`() {
        #expect(HeadCollector().status == 0)
        #expect(collect(["HTTP/1.1"]).status == 0)
    }

    @Test func `a head without end is cut off`() {
        var head = collect(["HTTP/1.1 200 OK"])
        let line = "X-Filler: " + String(repeating: "x", count: 1000)
        var taken = 0
        while take(line, &head), taken < 1000 { taken += 1 }
        #expect(taken == HeadCollector.headLimit / (line.utf8.count))
    }

    @Test func `interim responses without end are cut off`() {
        var head = HeadCollector()
        let lines = ["HTTP/1.1 103 Early Hints", "Link: " + String(repeating: "x", count: 10000), ""]
        var rounds = 0
        while rounds < 1000, lines.allSatisfy({ take($0, &head) }) { rounds += 1 }
        #expect((100..<1000).contains(rounds))
    }
}
