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
                "/bin/sh",
                ["-c", "sleep 1000; :", "", "t w o"],
                environment: ["A": "1", "B": "x=y", "EMPTY": ""],
                directory: folder.path
            )
            defer { child.killGroup(SIGKILL) }
            // The executable is visible a moment before its arguments are.
            let facts = try eventually("it has begun") {
                ProcessFacts.read(child.processID).flatMap { $0.arguments.isEmpty ? nil : $0 }
            }
            #expect(ProcessFacts.executableLink(of: child.processID) == facts.executable)
            #expect(facts.executable.hasSuffix("sh"))
            #expect(facts.arguments == ["-c", "sleep 1000; :", "", "t w o"])
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
