// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageSupervisor
import OffstageTestSupport
import Testing

@Suite struct `What /proc says of a process` {
    @Test func `arguments, folder and environment are as they were at its start`() throws {
        try TemporaryDirectory.with { folder in
            let child = try ChildProcess(
                "/bin/sleep",
                ["1000", "", "0"],
                environment: ["A": "1", "B": "x=y", "EMPTY": ""],
                directory: folder.path
            )
            defer { child.kill(SIGKILL) }
            let facts = try eventually("sleep runs") {
                ProcessFacts.read(child.processID).flatMap { $0.executable.hasSuffix("sleep") ? $0 : nil }
            }
            #expect(facts.arguments == ["1000", "", "0"])
            #expect(facts.workingDirectory == folder.path)
            #expect(facts.environment == ["A": "1", "B": "x=y", "EMPTY": ""])
        }
    }

    @Test func `nothing is said of a process that is not there`() throws {
        let child = try ChildProcess("/bin/true")
        _ = try child.exitStatus()
        #expect(ProcessFacts.read(child.processID) == nil)
        #expect(ProcessStatus.read(child.processID) == nil)
    }
}
