// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// Compiles an app's source as `Examples/Package.swift` has it compiled: UIKit means OffstageUIKit.
struct AppSource {
    let path: String
    let name: String

    /// - Parameter name: of a file below `Tests/Fixtures/UIKit`, or of one in `Examples/Sources`.
    init(_ name: String) {
        self.name = name
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let fixture = "/\(root)/Tests/Fixtures/UIKit/\(name).swift"
        path = access(fixture, R_OK) == 0 ? fixture : "/\(root)/Examples/Sources/\(name).swift"
    }

    /// Has the types checked, and the code made but not linked.
    func check(swift version: Int) throws -> CommandResult {
        try compile(["-typecheck", "-swift-version", "\(version)"])
    }

    /// Makes a program.
    func build(swift version: Int, as program: String) throws -> CommandResult {
        var arguments = ["-swift-version", "\(version)", "-o", program]
        for module in [
            "OffstageUIKit", "Offstage", "OffstageClient", "OffstageFiles", "OffstageProtocol", "OffstageCore",
        ] {
            arguments += try Self.objects(module)
        }
        for module in ["COffstageUIKit", "COffstageLinux"] { arguments += try Self.objects(module) }
        return try compile(arguments + ["-lcrypto"])
    }

    private func compile(_ arguments: [String]) throws -> CommandResult {
        let products = try Self.products()
        let root = path.split(separator: "/").prefix { $0 != "Tests" && $0 != "Examples" }.joined(separator: "/")
        let maps = [
            "/\(root)/Sources/COffstageUIKit/include/module.modulemap",
            "/\(root)/Sources/CCrypto/module.modulemap",
            "\(products)/COffstageLinux.build/module.modulemap",
        ]
        return try ChildProcess.run(
            "/usr/bin/env",
            ["swiftc", "-parse-as-library", "-module-name", "App", "-I", "\(products)/Modules"] + Self.flags
                + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] } + arguments + [path],
            environment: Self.environment,
            within: 300
        )
    }

    /// As `withUIKit` in `Examples/Package.swift`.
    private static let flags = [
        "-module-alias", "UIKit=OffstageUIKit", "-Xfrontend", "-import-module", "-Xfrontend", "OffstageUIKit",
    ]

    /// The toolchain is where the test run has found it.
    private static var environment: [String: String] {
        var environment = ChildProcess.inheritedEnvironment
        if let path = getenv("PATH") { environment["PATH"] = String(cString: path) }
        return environment
    }

    private static func products() throws -> String {
        let runner = try BuiltProducts.path("LifeApp")
        return "/" + runner.split(separator: "/").dropLast().joined(separator: "/")
    }

    private static func objects(_ module: String) throws -> [String] {
        let folder = "\(try products())/\(module).build"
        let result = try ChildProcess.run("/usr/bin/env", ["find", folder, "-name", "*.o"])
        guard result.isSuccess, !result.lines.isEmpty else {
            throw TestError("\(folder) has no object files: \(result)")
        }
        return result.lines
    }
}
