// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// Type-checks an app's source with the flags of docs/background-tasks.md: BackgroundTasks means
/// OffstageBackgroundTasks, and UIKit means OffstageUIKit.
struct TaskSource {
    private let path: String
    private let root: String

    /// - Parameter name: a file below `Tests/Fixtures/BackgroundTasks`.
    init(_ name: String) {
        root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        path = "\(root)/Tests/Fixtures/BackgroundTasks/\(name).swift"
    }

    func check(swift version: Int) throws -> CommandResult {
        let runner = try BuiltProducts.path("TaskApp")
        let products = "/" + runner.split(separator: "/").dropLast().joined(separator: "/")
        let maps = [
            "\(root)/Sources/COffstageUIKit/include/module.modulemap", "\(root)/Sources/CCrypto/module.modulemap",
            "\(products)/COffstageLinux.build/module.modulemap",
        ]
        var environment = ChildProcess.inheritedEnvironment
        // The toolchain is where the test run found it.
        if let path = getenv("PATH") { environment["PATH"] = String(cString: path) }
        return try ChildProcess.run(
            "/usr/bin/env",
            ["swiftc", "-parse-as-library", "-module-name", "App", "-I", "\(products)/Modules"] + Self.flags
                + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
                + ["-typecheck", "-swift-version", "\(version)", path],
            environment: environment,
            within: 300
        )
    }

    private static let flags = [
        "-module-alias", "UIKit=OffstageUIKit", "-module-alias", "BackgroundTasks=OffstageBackgroundTasks",
        "-Xfrontend", "-import-module", "-Xfrontend", "OffstageUIKit",
    ]
}
