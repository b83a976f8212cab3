// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// `offstage download --remote-header-name`, as seen from a shell.
@Suite struct `Files named by the server` {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
    }

    private func file(_ count: Int, _ disposition: String) -> FaultFile {
        var file = FaultFile(random: count, seed: 1)
        file.headers = [HeaderField(name: "Content-Disposition", value: disposition)]
        return file
    }

    @Test func `everything that tells of the transfer has the real name`() throws {
        server.script("/get", .file(file(1000, "attachment; filename*=UTF-8''caf%C3%A9.txt; filename=cafe.txt")))
        let result = try daemon.run(
            "download",
            "-OJ",
            "--on-done",
            "echo \"$OFFSTAGE_PATH\" > told",
            server.url("/get")
        )
        #expect(result.isSuccess, "\(result)")
        #expect((result.output + result.errors).contains("→ café.txt, 1000 B"))
        let path = daemon.path("café.txt")
        #expect(TestFiles.size(path) == 1000 && !TestFiles.exists(daemon.path("get")))
        #expect(try daemon.show(1).path.string == path)
        #expect(try daemon.json("list").transfers[0].path.string == path)
        #expect(try daemon.json("list", "--text", "café").transfers.array.count == 1)
        #expect(try daemon.run("show", "1").output.contains("File:         \(path)\n"))
        try eventually("the command was told the name") {
            (try? TestFiles.text(daemon.path("told"))) == path + "\n" ? true : nil
        }
    }

    @Test func `a killed daemon goes on with the same file, under the name that it was given`() throws {
        let file = file(4_000_000, "attachment; filename=disk.iso")
        server.script("/get", .stallsInBody(file, after: 2_000_000), .file(file))
        let id = try daemon.submit("download", "-J", server.url("/get"))
        try daemon.watchBytes(id, atLeast: 2_000_000)
        let shown = try daemon.watch(id, for: "its name") { $0.path.hasSuffix("/disk.iso") }
        #expect(shown.kind == .running)
        try daemon.killDaemon()
        #expect(try daemon.wait(id).isSuccess)
        #expect(try TestFiles.read(daemon.path("disk.iso")) == file.bytes)
        #expect(TestFiles.names(in: daemon.files) == ["disk.iso"])
        #expect(try daemon.show(id).path.string == daemon.path("disk.iso"))
    }

    @Test func `a URL without a name does, and -o counts before the server's`() throws {
        server.script("/folder/", .file(file(10, "attachment")))
        server.script("/get", .file(file(10, "attachment; filename=theirs")))
        #expect(try daemon.run("download", "-J", server.url("/folder/")).isSuccess)
        #expect(try daemon.run("download", "-J", "-o", "mine", server.url("/get")).isSuccess)
        #expect(TestFiles.names(in: daemon.files).sorted() == ["download", "mine"])
    }

    @Test func `a name that is there already is told with what to do`() throws {
        try TestFiles.write("mine", to: daemon.path("theirs"))
        server.script("/get", .file(file(10, "attachment; filename=theirs")))
        let result = try daemon.run("download", "-J", server.url("/get"))
        #expect(!result.isSuccess)
        #expect((result.output + result.errors).contains("\(daemon.path("theirs")) already exists"))
        #expect(try TestFiles.text(daemon.path("theirs")) == "mine")
        #expect(try daemon.run("download", "-J", "--force", server.url("/get")).isSuccess)
        #expect(TestFiles.size(daemon.path("theirs")) == 10)
    }
}
