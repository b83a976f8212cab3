// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport
import Testing

/// Unchanged sources as written for iOS.
@Suite struct CompilationTests {
    @Test(
        arguments: [5, 6],
        ["RefreshAndCleaning", "SchedulerProtocols", "Errors", "ContinuedExport", "Study"]
    )
    func `a source with deferred work for iOS compiles in both language modes`(version: Int, name: String) throws {
        let result = try TaskSource("Both/\(name)").check(swift: version)
        #expect(result.isSuccess && !result.errors.contains("warning:"), "\(result)")
    }

    @Test func `a task handler from before Swift's concurrency compiles as Swift 5`() throws {
        let result = try TaskSource("Swift5/ClosureCaptures").check(swift: 5)
        #expect(result.isSuccess, "\(result)")
    }

    @Test func `an actor's deferred work compiles as Swift 6`() throws {
        let result = try TaskSource("Swift6/ActorRefresh").check(swift: 6)
        #expect(result.isSuccess && !result.errors.contains("warning:"), "\(result)")
    }
}
