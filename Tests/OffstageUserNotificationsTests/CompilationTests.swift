// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

/// Unchanged sources as written for iOS, with the flags of docs/notifications.md.
@Suite struct CompilationTests {
    @Test(arguments: [5, 6], ["Reminders", "AsyncReminders"])
    func `a source with notifications for iOS compiles in both language modes`(version: Int, name: String) throws {
        let result = try check(name, swift: version)
        #expect(result.isSuccess && !result.errors.contains("warning:"), "\(result)")
    }

    private func check(_ name: String, swift version: Int) throws -> CommandResult {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let runner = try BuiltProducts.path("NoticeApp")
        let products = "/" + runner.split(separator: "/").dropLast().joined(separator: "/")
        let maps = [
            "\(root)/Sources/COffstageUIKit/include/module.modulemap", "\(root)/Sources/CCrypto/module.modulemap",
            "\(products)/COffstageLinux.build/module.modulemap",
        ]
        var environment = ChildProcess.inheritedEnvironment
        // The toolchain is where the test run found it.
        if let path = getenv("PATH") { environment["PATH"] = String(cString: path) }
        let aliases = ["UIKit=OffstageUIKit", "UserNotifications=OffstageUserNotifications"]
        return try ChildProcess.run(
            "/usr/bin/env",
            ["swiftc", "-parse-as-library", "-module-name", "App", "-I", "\(products)/Modules"]
                + aliases.flatMap { ["-module-alias", $0] }
                + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
                + [
                    "-typecheck", "-swift-version", "\(version)",
                    "\(root)/Tests/Fixtures/UserNotifications/\(name).swift",
                ],
            environment: environment,
            within: 300
        )
    }
}
