// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

/// Another user listens where this user's command would look for its daemon.
@Suite(.enabled(if: Privileges.canChangeUser, "needs root, and a user who may read the programs"))
struct `Another user's daemon` {
    private let directory: TemporaryDirectory
    private static let nobody: UInt32 = 65534

    init() throws {
        directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
    }

    /// A folder of another user.
    private func foreign(_ name: String) throws -> String {
        let path = directory.path(name)
        try TestFiles.makeDirectory(path)
        chmod(path, 0o700)
        chown(path, Self.nobody, Self.nobody)
        return path
    }

    /// A program of that user that listens at a path, and prints the data it receives.
    private func listen(at path: String) throws -> ChildProcess {
        let script = """
            use IO::Socket::UNIX; $| = 1;
            my $l = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 5) or die $!; chmod 0777, $ARGV[0];
            print "listening\\n";
            while (my $c = $l->accept) { print "came\\n"; while (sysread($c, my $b, 4096)) { print "got $b\\n" } }
            """
        let setpriv = DaemonFixture.setpriv
        let process = try ChildProcess(setpriv[0], setpriv.dropFirst() + ["/usr/bin/perl", "-e", script, path])
        _ = try process.line { $0 == "listening" ? true : nil }
        return process
    }

    private func offstage(_ arguments: String..., environment: [String: String]) throws -> CommandResult {
        try ChildProcess.run(
            BuiltProducts.path("offstage"),
            arguments,
            environment: ["PATH": "/usr/bin:/bin"].merging(environment) { $1 },
            directory: directory.path
        )
    }

    private func expectSentence(_ result: CommandResult, _ words: String...) {
        #expect(result.status == .exited(3) || result.status == .exited(1))
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 1, "\(result)")
        for word in words { #expect(result.errors.contains(word), "\(result)") }
    }

    @Test func `a runtime directory that su has kept gets nothing, and no folder of root's`() throws {
        let runtime = try foreign("run")
        let fake = try listen(at: runtime + "/probe")
        try TestFiles.makeDirectory(runtime + "/offstage")
        chown(runtime + "/offstage", Self.nobody, Self.nobody)
        #expect(rename(runtime + "/probe", runtime + "/offstage/daemon.sock") == 0)
        let environment = ["HOME": directory.path("root"), "XDG_RUNTIME_DIR": runtime]
        try TestFiles.makeDirectory(directory.path("root"))
        let result = try offstage("list", environment: environment)
        defer { _ = try? offstage("daemon", "stop", environment: environment) }
        #expect(result.isSuccess, "\(result)")
        #expect(TestFiles.exists(directory.path("root/.local/state/offstage/run/daemon.sock")))
        #expect(TestFiles.names(in: runtime) == ["offstage"])
        #expect(fake.output == "listening\n")
    }

    @Test func `root makes nothing in a runtime directory that is empty yet`() throws {
        let runtime = try foreign("run")
        try TestFiles.makeDirectory(directory.path("root"))
        let environment = ["HOME": directory.path("root"), "XDG_RUNTIME_DIR": runtime]
        #expect(try offstage("list", environment: environment).isSuccess)
        _ = try offstage("daemon", "stop", environment: environment)
        #expect(TestFiles.names(in: runtime).isEmpty)
    }

    @Test(arguments: ["HOME", "OFFSTAGE_HOME"]) func `root makes nothing in another user's home`(
        variable: String
    ) throws {
        let home = try foreign("home")
        var environment = ["HOME": directory.path("root")]
        environment[variable] = home
        expectSentence(try offstage("list", environment: environment), "belongs to user 65534", "OFFSTAGE_HOME")
        #expect(TestFiles.names(in: home).isEmpty)
        let daemon = try ChildProcess.run(BuiltProducts.path("offstaged"), environment: environment)
        #expect(daemon.status == .exited(78), "\(daemon)")
        #expect(TestFiles.names(in: home).isEmpty)
    }

    @Test func `a socket in one's own folder that another user listens on is sent nothing`() throws {
        let home = directory.path("home")
        for path in [home, home + "/run"] {
            try TestFiles.makeDirectory(path)
            chmod(path, 0o700)
        }
        let fake = try listen(at: try foreign("theirs") + "/daemon.sock")
        #expect(rename(directory.path("theirs/daemon.sock"), home + "/run/daemon.sock") == 0)
        let result = try offstage(
            "upload",
            "/etc/hostname",
            "http://127.0.0.1:1/",
            "-H",
            "Authorization: Bearer s3cret",
            environment: ["OFFSTAGE_HOME": home, "HOME": home]
        )
        expectSentence(result, "belongs to nobody (user 65534)", "nothing was sent")
        _ = try fake.line { $0 == "came" ? true : nil }
        #expect(!fake.output.contains("got"))
    }

    @Test func `the socket's folder, if another user's or a link, is not used`() throws {
        let home = directory.path("home")
        try TestFiles.makeDirectory(home)
        chmod(home, 0o700)
        let theirs = try foreign("theirs")
        #expect(rename(theirs, home + "/run") == 0)
        let environment = ["OFFSTAGE_HOME": home, "HOME": home]
        expectSentence(try offstage("list", environment: environment), home + "/run", "65534")
        try TestFiles.makeDirectory(directory.path("elsewhere"))
        #expect(rmdir(home + "/run") == 0 && symlink(directory.path("elsewhere"), home + "/run") == 0)
        expectSentence(try offstage("list", environment: environment), home + "/run")
        #expect(TestFiles.names(in: directory.path("elsewhere")).isEmpty)
    }

    @Test func `the daemon closes the connection of another user`() throws {
        let daemon = try DaemonFixture(asNobody: true)
        defer { daemon.end() }
        #expect(try daemon.run("list").isSuccess)
        chmod(daemon.home + "/run", 0o777)
        chmod(daemon.home + "/run/daemon.sock", 0o777)
        let socket = try LoopbackSocket.connect(path: daemon.home + "/run/daemon.sock")
        defer { close(socket) }
        // Closed without an answer, or reset: either way there was no answer.
        #expect((try LoopbackSocket.receive(socket, limit: TimeLimit(seconds: 20)) ?? []).isEmpty)
    }
}
