// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport
import Testing

/// Unchanged sources as written for iOS.
@Suite struct LogCompilationTests {
    @Test(arguments: [5, 6], ["Loggers", "WholeOSLog", "OlderLog", "Locks", "Signposts"])
    func `a source that logs for iOS compiles in both language modes`(version: Int, name: String) throws {
        let result = try LogSource("Both/\(name)").check(swift: version)
        #expect(result.isSuccess && !result.errors.contains("warning:"), "\(result)")
    }

    @Test func `closures that log compile as Swift 5`() throws {
        let result = try LogSource("Swift5/ClosureLogging").check(swift: 5)
        #expect(result.isSuccess && !result.errors.contains("warning:"), "\(result)")
    }
}
