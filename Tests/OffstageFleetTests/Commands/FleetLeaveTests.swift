// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageFiles
import OffstageFleet
import OffstageTestSupport
import Testing

/// `leave` ends the member's process, and no other process that merely has its number.
@Suite struct FleetLeaveTests {
    private let folder: TemporaryDirectory
    private let home: String
    private let lock: String

    init() throws {
        folder = try TemporaryDirectory()
        home = folder.path("home")
        lock = home + "/fleet-member.lock"
        guard mkdir(home, 0o700) == 0 else { throw TestError.system(home) }
        let key = folder.path("fleet.key")
        try FleetKey().write(to: key)
        try MemberSettings(
            database: "host=/nonexistent dbname=fleet",
            fleet: "5f0c6a52-1f2b-4b8e-9d7e-3a54c1c9a001",
            name: "nas-1",
            key: key
        )
        .write(to: home + "/fleet-member.json")
    }

    private func leave(_ options: String...) -> (status: OffstageCommands.ExitStatus, errors: String) {
        let output = Output(capturedColumns: 0)
        let status = CommandLineTool.run(["fleet", "leave", "--no-start"] + options, output: output) {
            printsJSON,
            startsDaemon in
            CommandContext(
                environment: ["OFFSTAGE_HOME": home],
                workingDirectory: "/",
                output: output,
                printsJSON: printsJSON,
                startsDaemon: startsDaemon,
                fleet: FleetContext.carryOut
            )
        }
        return (status, output.complained)
    }

    /// Here the number in the file belongs to an unrelated process: of another program, or of another home's member.
    @Test(arguments: ["unrelated", "offstage-fleet"])
    func `a process that has the number of a member elsewhere is left alone`(name: String) throws {
        let program = folder.path(name)
        #expect(symlink("/bin/sleep", program) == 0)
        let other = try ChildProcess(program, ["1000"])
        try TestFiles.write("\(other.processID)\n", to: lock)
        let held = open(lock, O_RDWR | O_CLOEXEC)
        defer { close(held) }
        #expect(flock(held, LOCK_EX | LOCK_NB) == 0)
        let left = leave("--force")
        #expect(left.status == .failure && left.errors.contains("in a container or on another machine"), "\(left)")
        #expect(other.isRunning)
        #expect(TestFiles.exists(home + "/fleet-member.json"))
    }

    @Test func `the process that has the lock is ended`() throws {
        let member = try ChildProcess(
            BuiltProducts.path("offstage-fleet"),
            ["member", "run", "--no-start"],
            environment: ChildProcess.inheritedEnvironment.merging(["OFFSTAGE_HOME": home]) { $1 },
            directory: "/"
        )
        try eventually("the member has written its number") {
            LockFile.isHeld(lock) && (TestFiles.size(lock) ?? 0) > 0 ? true : nil
        }
        let left = leave("--force")
        #expect(left.status == .success, "\(left) \(member.errors)")
        #expect(try member.exitStatus() == .exited(0))
        #expect(!TestFiles.exists(home + "/fleet-member.json"))
    }
}
