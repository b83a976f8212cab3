// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// Type-checks an app's source with the flags of docs/logging.md: os means OffstageOS, and OSLog means OffstageOSLog.
struct LogSource {
    private let path: String
    private let root: String

    /// - Parameter name: a file below `Tests/Fixtures/OS`.
    init(_ name: String) {
        root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        path = "\(root)/Tests/Fixtures/OS/\(name).swift"
    }

    func check(swift version: Int) throws -> CommandResult {
        let runner = try BuiltProducts.path("LogApp")
        let products = "/" + runner.split(separator: "/").dropLast().joined(separator: "/")
        var environment = ChildProcess.inheritedEnvironment
        // The toolchain is where the test run found it.
        if let path = getenv("PATH") { environment["PATH"] = String(cString: path) }
        return try ChildProcess.run(
            "/usr/bin/env",
            [
                "swiftc", "-parse-as-library", "-module-name", "App", "-I", "\(products)/Modules",
                "-module-alias", "os=OffstageOS", "-module-alias", "OSLog=OffstageOSLog",
                "-Xcc", "-fmodule-map-file=\(root)/Sources/COffstageOS/include/module.modulemap",
                "-typecheck", "-swift-version", "\(version)", path,
            ],
            environment: environment,
            within: 300
        )
    }
}
