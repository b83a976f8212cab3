// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

@Suite struct `Mutated requests` {
    @Test(.enabled(if: OtherProcess.isThere, "needs python3"))
    func `by the thousand leave the daemon alive, small and prompt`() throws {
        let scripts = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/scripts"
        let binaries = try BuiltProducts.path("offstage").split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let program = try ChildProcess(
            OtherProcess.interpreter,
            [
                scripts + "/hammer", "--count", "4000", "--seed", "3", "--binaries", binaries,
                // For a debug build on a busy machine.
                "--patience", "5", "--memory", "160",
            ]
        )
        let result = try program.result(within: 120)
        #expect(result.isSuccess, "\(result)")
    }
}
