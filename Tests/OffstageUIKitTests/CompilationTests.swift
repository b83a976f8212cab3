// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport
import Testing

/// Unchanged sources as written for iOS.
@Suite struct CompilationTests {
    @Test(
        arguments: [5, 6],
        ["XcodeTemplate", "AsyncDelegate", "Mocking", "FoundationOnly", "PartOfUIKit", "PlainMain"]
    )
    func `a source for iOS compiles in both language modes`(version: Int, name: String) throws {
        let result = try AppSource("Both/\(name)").check(swift: version)
        #expect(result.isSuccess && !result.errors.contains("warning:"), "\(result)")
    }

    @Test(arguments: ["OlderMocking", "AnalyticsKit", "ApplicationMain"])
    func `a source from before Swift's concurrency compiles as Swift 5`(name: String) throws {
        let result = try AppSource("Swift5/\(name)").check(swift: 5)
        #expect(result.isSuccess, "\(result)")
    }

    @Test func `actors and tasks begin and end background tasks in Swift 6`() throws {
        let result = try AppSource("Swift6/BackgroundWork").check(swift: 6)
        #expect(result.isSuccess && !result.errors.contains("warning:"), "\(result)")
    }

    @Test func `an app in one file with UIApplicationMain as its attribute is built and runs`() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let program = directory.path("App")
        let built = try AppSource("HelloApplicationMain/AppDelegate").build(swift: 5, as: program)
        try #require(built.isSuccess, "\(built)")
        var environment = ChildProcess.inheritedEnvironment
        environment["OFFSTAGE_HOME"] = directory.path("home")
        environment["OFFSTAGED"] = "/nowhere/offstaged"
        let result = try ChildProcess.run(program, environment: environment)
        #expect(result.isSuccess, "\(result)")
        #expect(result.output == "active, with no end in sight\n")
    }
}
