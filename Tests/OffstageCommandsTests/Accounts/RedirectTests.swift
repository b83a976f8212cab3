// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageTestSupport
import Testing

/// The code that a browser delivers.
@Suite struct RedirectTests {
    private func request(_ line: String, state: String = "s") -> RedirectRequest {
        RedirectRequest(Array("\(line)\r\nHost: 127.0.0.1:1\r\n\r\n".utf8), state: state)
    }

    @Test func `a code with the right state is taken`() {
        #expect(request("GET /?code=a%2Bb+c&state=s HTTP/1.1") == .code("a+b c"))
        #expect(request("GET /?state=s&code=x&extra=1 HTTP/1.0") == .code("x"))
        #expect(request("GET /?error=access_denied&state=s HTTP/1.1") == .declined("access_denied"))
    }

    @Test(arguments: [
        ("GET /?code=x&state=other HTTP/1.1", 400), ("GET /?code=x HTTP/1.1", 400), ("GET /?state=s HTTP/1.1", 400),
        ("GET /?code=&state=s HTTP/1.1", 400), ("GET / HTTP/1.1", 400), ("GET /favicon.ico HTTP/1.1", 404),
        ("POST /?code=x&state=s HTTP/1.1", 405), ("GET /x?code=x&state=s HTTP/1.1", 404), ("hello", 400),
        ("GET /?error=denied&state=other HTTP/1.1", 400), ("GET /?code=x&state=s HTTP/2", 400),
    ])
    func `anything else is answered and forgotten`(line: String, status: Int) {
        #expect(request(line) == .stranger(status: status))
        #expect(request(line).answer(leadingTo: "p")?.hasPrefix("HTTP/1.1 \(status) ") == true)
    }

    @Test func `a head that is not whole yet is waited for, and one without end is not`() {
        let whole = Array("GET /?code=x&state=s HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        for count in 0..<whole.count {
            #expect(RedirectRequest(Array(whole.prefix(count)), state: "s") == .incomplete)
        }
        #expect(RedirectRequest(whole, state: "s") == .code("x"))
        let endless = [UInt8](repeating: UInt8(ascii: "a"), count: 20_000)
        #expect(RedirectRequest(endless, state: "s") == .stranger(status: 431))
    }

    @Test func `the page says that the window may be closed, and repeats nothing`() throws {
        let answer = try #require(request("GET /?code=SECRET&state=s HTTP/1.1").answer(leadingTo: "p"))
        #expect(answer.contains("You may close this window.") && !answer.contains("SECRET"))
        let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1)
        #expect(parts[0].contains("Content-Length: \(parts[1].utf8.count)"))
    }

    /// Sends text to the listener and returns what it answers.
    private func visit(_ port: UInt16, _ text: String) throws -> String {
        let socket = try LoopbackSocket.connect(port: port)
        defer { close(socket) }
        try LoopbackSocket.send(Array(text.utf8), to: socket)
        var answer: [UInt8] = []
        while let bytes = try LoopbackSocket.receive(socket, limit: TimeLimit(seconds: 10)), !bytes.isEmpty {
            answer += bytes
        }
        return String(decoding: answer, as: UTF8.self)
    }

    @Test func `the listener hears the browser among strangers and silent connections`() throws {
        let listener = try RedirectListener(port: 0)
        let port = listener.port
        #expect(listener.uri == "http://127.0.0.1:\(port)/")
        let answers = Monitor<[String]>([])
        let silent = try LoopbackSocket.connect(port: port)
        defer { close(silent) }
        let slow = try LoopbackSocket.connect(port: port)
        defer { close(slow) }
        try LoopbackSocket.send(Array("GET /?code=ri".utf8), to: slow)
        try TestThread.start {
            for text in ["GET /favicon.ico HTTP/1.1\r\n\r\n", "GET /?code=wrong&state=x HTTP/1.1\r\n\r\n"] {
                let answer = (try? self.visit(port, text)) ?? ""
                answers.withLock { $0.append(answer) }
            }
            try? LoopbackSocket.send(Array("ght&state=s HTTP/1.1\r\nHost: a\r\n\r\n".utf8), to: slow)
        }
        #expect(try listener.wait(state: "s", page: "http://p", signals: -1, seconds: 20) == .code("right"))
        #expect(answers.withLock { $0.map { String($0.prefix(12)) } } == ["HTTP/1.1 404", "HTTP/1.1 400"])
        let page = try LoopbackSocket.receive(slow, limit: TimeLimit(seconds: 10))
        #expect(page?.starts(with: Array("HTTP/1.1 200 OK".utf8)) == true)
    }

    @Test func `more connections than a browser opens do not keep it from coming`() throws {
        let listener = try RedirectListener(port: 0)
        let port = listener.port
        let silent = Monitor<[Int32]>([])
        defer { for socket in silent.withLock({ $0 }) { close(socket) } }
        try TestThread.start {
            for _ in 0..<40 {
                guard let socket = try? LoopbackSocket.connect(port: port) else { return }
                silent.withLock { $0.append(socket) }
            }
            _ = try? self.visit(port, "GET /?code=x&state=s HTTP/1.1\r\n\r\n")
        }
        #expect(try listener.wait(state: "s", page: "http://p", signals: -1, seconds: 60) == .code("x"))
        let sockets = silent.withLock { $0 }
        #expect(sockets.count == 40)
        // The oldest connection had to make room; the latest did not.
        #expect(try LoopbackSocket.receive(sockets[0], limit: TimeLimit(seconds: 10)) == [])
        var latest = [pollfd(fd: sockets[39], events: Int16(POLLIN), revents: 0)]
        #expect(poll(&latest, 1, 0) == 0)
        withExtendedLifetime(listener) {}
    }

    @Test func `a browser that begins here is led on to the service, whose page is in no command line`() throws {
        #expect(request("GET /begin HTTP/1.1") == .begin)
        #expect(request("GET /begin?state=s HTTP/1.1") == .stranger(status: 404))
        let listener = try RedirectListener(port: 0)
        #expect(listener.beginning == "http://127.0.0.1:\(listener.port)/begin")
        let (port, answer) = (listener.port, Monitor(""))
        try TestThread.start {
            let text = (try? self.visit(port, "GET /begin HTTP/1.1\r\n\r\n")) ?? ""
            answer.withLock { $0 = text }
            _ = try? self.visit(port, "GET /?code=x&state=s HTTP/1.1\r\n\r\n")
        }
        let page = "https://service.example/authorize?state=s"
        #expect(try listener.wait(state: "s", page: page, signals: -1, seconds: 20) == .code("x"))
        #expect(answer.withLock { $0 }.hasPrefix("HTTP/1.1 302 Found\r\nLocation: \(page)\r\nContent-Type: "))
    }

    @Test(.enabled(if: geteuid() == 0, "needs root")) func `another user's code is refused`() throws {
        let listener = try RedirectListener(port: 0)
        let port = listener.port
        let theirs = Monitor("")
        try TestThread.start {
            let script = """
                use IO::Socket::INET; my $s = IO::Socket::INET->new("127.0.0.1:\(port)") or die;
                print $s "GET /?code=theirs&state=s HTTP/1.1\\r\\n\\r\\n"; print while <$s>;
                """
            let said = try? ChildProcess.run(
                DaemonFixture.setpriv[0],
                DaemonFixture.setpriv.dropFirst() + ["/usr/bin/perl", "-e", script]
            )
            theirs.withLock { $0 = said.map { $0.output + $0.errors } ?? "" }
            _ = try? self.visit(port, "GET /?code=ours&state=s HTTP/1.1\r\n\r\n")
        }
        #expect(try listener.wait(state: "s", page: "p", signals: -1, seconds: 20) == .code("ours"))
        #expect(!theirs.withLock { $0 }.contains("You may close"))
    }

    @Test func `a person may stop waiting, and waiting has an end`() throws {
        var stop: [Int32] = [-1, -1]
        try #require(pipe(&stop) == 0)
        defer { for end in stop { close(end) } }
        let listener = try RedirectListener(port: 0)
        #expect(write(stop[1], "c", 1) == 1)
        #expect(try listener.wait(state: "s", page: "http://p", signals: stop[0], seconds: 20) == nil)
        let error = #expect(throws: CommandFailure.self) {
            try listener.wait(state: "s", page: "http://p", signals: -1, seconds: 0)
        }
        #expect(error?.sentences[0].contains("delivered no code") == true)
    }

    @Test func `a port that is taken is named`() throws {
        let first = try RedirectListener(port: 0)
        let error = #expect(throws: CommandFailure.self) { try RedirectListener(port: first.port) }
        #expect(error?.sentences[0].contains("127.0.0.1:\(first.port)") == true)
        withExtendedLifetime(first) {}
    }
}
