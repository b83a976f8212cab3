// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// Compiles an app's source as `Examples/Package.swift` does: UIKit means OffstageUIKit.
struct AppSource {
    let path: String
    let name: String

    /// - Parameter name: a file below `Tests/Fixtures/UIKit`, or in `Examples/Sources`.
    init(_ name: String) {
        self.name = name
        let fixture = "/\(Self.root)/Tests/Fixtures/UIKit/\(name).swift"
        path = access(fixture, R_OK) == 0 ? fixture : "/\(Self.root)/Examples/Sources/\(name).swift"
    }

    /// Type-checks the source and generates code, without linking.
    func check(swift version: Int) throws -> CommandResult {
        try compile(["-typecheck", "-swift-version", "\(version)"])
    }

    /// Builds a program.
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
        let maps = [
            "/\(Self.root)/Sources/COffstageUIKit/include/module.modulemap",
            "/\(Self.root)/Sources/CCrypto/module.modulemap",
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

    /// The project's folder, without the leading slash.
    private static let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

    /// As `withUIKit` in `Examples/Package.swift`.
    private static let flags = [
        "-module-alias", "UIKit=OffstageUIKit", "-Xfrontend", "-import-module", "-Xfrontend", "OffstageUIKit",
    ]

    /// The toolchain is where the test run found it.
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
        let sources = try ChildProcess.run("/usr/bin/env", ["find", "/\(root)/Sources/\(module)", "-type", "f"])
        let names = Set(sources.lines.map { name(of: $0) + ".o" })
        // A build leaves the object files of deleted or renamed sources.
        let objects = result.lines.filter { names.contains(name(of: $0)) }
        guard result.isSuccess, !objects.isEmpty else { throw TestError("\(folder) has no object files: \(result)") }
        return objects
    }

    private static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }
}
