// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct SessionTaskAdmissionTests {
    private let admission = SessionTaskAdmission(app: "org.example.up", downloads: "/d/org.example.up", spool: "/s")

    private func upload(_ change: (inout TransferSpec) -> Void = { _ in }) throws -> TransferSpec {
        var spec = try Fixture.upload()
        spec.owner = "org.example.up"
        spec.sessionTask = SessionTaskKey(session: "photos", task: 1)
        change(&spec)
        return spec
    }

    private func download(to path: String) throws -> TransferSpec {
        var spec = TransferSpec(
            direction: .download(.init(path: path)),
            url: try RequestURL("https://files.example.org/a"),
            owner: "org.example.up"
        )
        spec.sessionTask = SessionTaskKey(session: "photos", task: 2)
        return spec
    }

    /// An upload whose token a command would print.
    private static let objectByCommand = try? GCSParameters(
        GCSLocation(bucket: "films", object: "a"),
        at: nil,
        by: .command("true"),
        marker: String(repeating: "a", count: 32)
    ).dialectSpec()

    @Test func `an upload with a key file is taken in, and not one with a token command`() throws {
        var parameters = try GCSParameters(#require(Self.objectByCommand))
        parameters.identity = .keyFile("/home/me/key.json")
        let dialect = try parameters.dialectSpec()
        #expect(try admission.check(upload { $0.dialect = dialect }).task == 1)
    }

    @Test func `an app's own task is taken in`() throws {
        #expect(try admission.check(upload()) == SessionTaskKey(session: "photos", task: 1))
        #expect(try admission.check(download(to: "/d/org.example.up/CFNetworkDownload_1.tmp")).task == 2)
    }

    @Test(
        arguments: [
            { $0.owner = "command" },
            { $0.sessionTask = nil },
            { $0.sessionTask?.session = "" },
            { $0.sessionTask?.task = 0 },
            { $0.connectionsPerHost = 0 },
            { $0.priority = 2 },
            { $0.method = "not a method" },
            { $0.completionCommand = .init(command: "true", workingDirectory: "/") },
            { $0.dialect = Self.objectByCommand },
        ] as [@Sendable (inout TransferSpec) -> Void]
    )
    func `what is not an app's own, or makes no sense, is refused`(change: @Sendable (inout TransferSpec) -> Void)
        throws
    {
        let spec = try upload(change)
        #expect(throws: RequestError.self) { try admission.check(spec) }
    }

    @Test(arguments: [
        "/home/me/file", "/d/org.example.up", "/d/org.example.up/", "/d/org.example.up/a/b", "/d/org.example.up/../x",
        "/d/org.example.up/.offstage-1.part", "/d/org.example.upper/x", "/d/other/x",
    ])
    func `a download stays in the app's folder`(path: String) throws {
        let spec = try download(to: path)
        #expect(throws: RequestError.self) { try admission.check(spec) }
    }

    @Test func `only a spooled body may be deleted with its task`() throws {
        func spec(_ path: String) throws -> TransferSpec {
            try upload { spec in
                let identity = FileIdentity(device: 1, inode: 2, size: 3, modified: 4)
                spec.direction = .upload(.init(path: path, identity: identity, isSnapshot: true))
            }
        }
        #expect(try admission.check(spec("/s/body-12-345-abc")).task == 1)
        let others = [
            "/home/me/photo.jpg", "/s/abc", "/s/12-345-abc", "/s/body-12-345-a/b", "/s/body-12-345-",
            "/s/body-012-345-a", "/s/body--1-2-a",
        ]
        for path in others {
            let elsewhere = try spec(path)
            #expect(throws: RequestError.self) { try admission.check(elsewhere) }
        }
    }

    @Test func `only spooled files of a form may be deleted with its task, whichever they are`() throws {
        func spec(_ files: (path: String, isSpooled: Bool)...) throws -> TransferSpec {
            let identity = FileIdentity(device: 1, inode: 2, size: 3, modified: 4)
            let parts = files.map { file in
                let source = TransferSpec.UploadSource(path: file.path, identity: identity, isSnapshot: file.isSpooled)
                return FormBody.Part(name: "f", content: .file(source), fileName: "f")
            }
            return try upload { spec in
                spec.direction = .form(FormBody(parts: parts))
                spec.setContentTypeOfForm()
            }
        }
        let own = (path: "/home/me/photo.jpg", isSpooled: false)
        let body = (path: "/s/body-12-345-abc", isSpooled: true)
        #expect(try admission.check(spec(own, body, (path: "/s/body-12-345-d", isSpooled: true))).task == 1)
        let foreign = try spec(own, body, (path: "/home/me/photo.jpg", isSpooled: true))
        #expect(throws: RequestError.self) { try admission.check(foreign) }
    }

    @Test func `the name of a spooled body tells whose it is`() {
        let process = ProcessIdentity(number: 12, startedAt: 345)
        #expect(process.spoolPrefix == "body-12-345-")
        #expect(ProcessIdentity(spooledBody: "body-12-345-0123456789abcdef") == process)
        #expect(ProcessIdentity(spooledBody: "photo-12-345") == nil)
    }

    /// The command's snapshots are in the same folder, and one UUID in 280 begins with two decimal numbers. Such a
    /// snapshot was deleted before its upload, as the body of a process that no longer exists.
    @Test func `a snapshot whose UUID begins with decimal numbers is nobody's body`() {
        #expect(ProcessIdentity(spooledBody: "97349256-7574-4E82-97C8-772E6FF35AFC-file") == nil)
    }

    @Test func `the name of another owner is quoted, but not if it is as long as a record`() throws {
        let short = try upload { $0.owner = "command" }
        let error = #expect(throws: RequestError.self) { try admission.check(short) }
        #expect(error?.sentence.contains("a task of command") == true)
        let long = try upload { $0.owner = String(repeating: "a", count: 1 << 20) }
        let other = #expect(throws: RequestError.self) { try admission.check(long) }
        #expect(try #require(other).sentence.utf8.count < SessionTaskAdmission.longestQuotation + 100)
    }
}
