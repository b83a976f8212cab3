// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// Directories sent to a WebDAV server that does not create folders by itself: Debian's nginx.
@Suite struct `Folders are made for a directory` {
    private let daemon: DaemonFixture

    init() throws {
        daemon = try DaemonFixture()
    }

    private func makeTree(_ files: [String]) throws {
        for file in files {
            let folders = file.split(separator: "/").dropLast()
            for count in folders.indices {
                try TestFiles.makeDirectory(daemon.path(folders[...count].joined(separator: "/")))
            }
            try TestFiles.write("content of \(file)", to: daemon.path(file))
        }
    }

    @Test func `a tree arrives whole`() throws {
        let nginx = try NginxServer(.init(makesFolders: false))
        let files = ["t/a", "t/one/b", "t/one/two/c", "t/one/two/three/d", "t/one/two/three/e f/g ü"]
        try makeTree(files)
        let result = try daemon.run("upload", "t", nginx.url("new/"))
        #expect(result.isSuccess, "\(result)")
        for file in files {
            #expect(try TestFiles.text(nginx.path("new/" + file.dropFirst(2))) == "content of \(file)")
        }
        #expect(try daemon.show(1).attempts.integer == 1, "it is no retry")
    }

    @Test func `many files of one folder cost no more than a few requests`() throws {
        let nginx = try NginxServer(.init(makesFolders: false))
        try makeTree((0..<150).map { "t/sub/\($0)" })
        #expect(try daemon.run("upload", "t", nginx.url("new/")).isSuccess)
        let puts = try nginx.waitForEntries("/new/sub/149", count: 1)
        #expect(puts.last?.status == 201)
        let entries = try nginx.entries()
        let made = entries.filter { $0.method == "MKCOL" }
        // Each of the concurrent uploads may find the folder missing.
        #expect((2...40).contains(made.count), "\(made.count)")
        #expect(Set(made.map(\.uri)) == ["/new/", "/new/sub/"])
        #expect(entries.count < 150 + 60)
        #expect(TestFiles.names(in: nginx.path("new/sub")).count == 150)
    }

    @Test func `nothing is made above what the URL names, and a sentence says so`() throws {
        let nginx = try NginxServer(.init(makesFolders: false))
        try makeTree(["t/a"])
        let result = try daemon.run("upload", "t", nginx.url("missing/new/"))
        #expect(!result.isSuccess)
        #expect((result.output + result.errors).contains("has no folder to create \(nginx.url("missing/new/")) in"))
        #expect(!TestFiles.exists(nginx.path("missing")))
        #expect(Set(try nginx.entries().filter { $0.method == "MKCOL" }.map(\.uri)) == ["/missing/new/"])
    }

    @Test func `a file of its own has the folder made that its URL names`() throws {
        let nginx = try NginxServer(.init(makesFolders: false))
        try makeTree(["a"])
        let result = try daemon.run("upload", "a", nginx.url("new/"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.text(nginx.path("new/a")) == "content of a")
        #expect(try daemon.show(1).attempts.integer == 1, "it is no retry")
        let missing = try daemon.run("upload", "a", nginx.url("no/way/"))
        #expect(!missing.isSuccess)
        #expect((missing.output + missing.errors).contains("create \(nginx.url("no/")) first"), "\(missing)")
        #expect(!TestFiles.exists(nginx.path("no")))
    }

    @Test func `a URL that names the file has no folder made`() throws {
        let server = try FaultServer()
        server.script("/new/a", .status(404))
        try makeTree(["a"])
        #expect(try daemon.run("upload", "a", server.url("/new/a")).code == 22)
        #expect(try server.waitForRequests("/new/a", count: 1).map(\.method) == ["PUT"])
        #expect(server.requests("/new/").isEmpty)
    }

    @Test func `the login goes along, and what is said of the file does not`() throws {
        let nginx = try NginxServer(.init(login: "me:hunter2-pass", makesFolders: false))
        try makeTree(["t/sub/a"])
        let result = try daemon.run("upload", "-u", "me:hunter2-pass", "t", nginx.url("new/"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.text(nginx.path("new/sub/a")) == "content of t/sub/a")
        #expect(!daemon.log.contains("hunter2"))
        let refused = try daemon.run("upload", "t", nginx.url("other/"))
        #expect(refused.code == 22, "without one it is refused, as a file is")

        let server = try FaultServer()
        server.script("/d/a", .status(409), .status(201))
        server.script("/d/", .status(201))
        let headers = ["-H", "Authorization: Bearer t0ken", "-H", "Content-Type: text/x", "-H", "If-None-Match: *"]
        try makeTree(["u/a"])
        #expect(try daemon.run(["upload"] + headers + ["u", server.url("/d/")]).isSuccess)
        let made = try #require(try server.waitForRequests("/d/", count: 1).first)
        #expect(made.method == "MKCOL" && made.headers["Authorization"] == "Bearer t0ken")
        #expect(made.headers["Content-Type"] == nil && made.headers["If-None-Match"] == nil)
        #expect(!daemon.log.contains("t0ken"))
    }

    @Test func `a server that is none of WebDAV is told as it is`() throws {
        let server = try FaultServer()
        try makeTree(["t/a"])
        for (path, status) in [("one", 501), ("two", 404)] {
            server.script("/\(path)/a", .status(404, body: "no such place"))
            server.script("/\(path)/", .status(status))
            let result = try daemon.run("upload", "t", server.url("/\(path)/"))
            #expect(result.code == 22)
            #expect((result.output + result.errors).contains("answered 404"))
        }
        server.script("/moved/a", .status(409))
        server.script("/moved/", .redirect(to: server.url("/elsewhere/"), status: 301))
        let moved = try daemon.run("upload", "t", server.url("/moved/"))
        #expect((moved.output + moved.errors).contains("use the URL it redirects to"))
        #expect(server.requests("/elsewhere/").isEmpty)
    }

    @Test func `a killed daemon goes on where it was`() throws {
        let server = try FaultServer()
        let gate = FaultGate()
        try makeTree(["t/a"])
        server.script("/new/a", .status(409), .status(409), .status(201))
        server.script("/new/", .held(gate, then: .status(201)), .status(405))
        let id = try daemon.submit("upload", "t", server.url("/new/"))
        try eventually("the folder is asked for") { server.requests("/new/a").isEmpty ? nil : true }
        try daemon.killDaemon()
        gate.open()
        #expect(try daemon.wait(id).isSuccess)
        #expect(try server.waitForRequests("/new/a", count: 2).map(\.method).allSatisfy { $0 == "PUT" })
    }
}
