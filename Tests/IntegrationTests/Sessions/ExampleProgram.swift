// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// A program of the Examples package, launched repeatedly in one home, as on a phone.
final class ExampleProgram {
    /// The folder for the program's data.
    let folder: String
    private let path: String
    private let daemon: DaemonFixture

    /// Whether the examples are built; `swift build --package-path Examples` does it.
    static func isBuilt(_ name: String) -> Bool { path(name) != nil }

    static let reason = "needs the examples: swift build --package-path Examples"

    init(_ name: String, _ daemon: DaemonFixture, folder: String = "app") throws {
        guard let path = Self.path(name) else { throw TestError("\(name) is not built.") }
        self.path = path
        self.daemon = daemon
        self.folder = daemon.directory.path(folder)
        try TestFiles.makeDirectory(self.folder)
    }

    /// Launches the program with its folder and further arguments.
    func launch(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(
            path,
            [folder] + arguments,
            environment: ChildProcess.inheritedEnvironment.merging(
                ["OFFSTAGE_HOME": daemon.home, "OFFSTAGED": BuiltProducts.path("offstaged")]
            ) { $1 },
            directory: daemon.files
        )
    }

    /// The program's log over all launches, as words per line.
    var lines: [[String]] {
        ((try? TestFiles.text(folder + "/events.log")) ?? "").split(separator: "\n")
            .map { $0.split(separator: " ").map(String.init) }
    }

    /// The second words of lines that begin with one of these words.
    func noted(_ kinds: String...) -> [String] {
        lines.filter { kinds.contains($0[0]) }.map { $0[1] }
    }

    /// Waits until the program has logged so many lines of a kind.
    func waitForLines(_ kind: String, count: Int, within seconds: Double = 30) throws {
        try eventually("\(count) lines '\(kind)'", within: seconds) { noted(kind).count >= count ? true : nil }
    }

    /// The path of the built program; nil if there is none.
    static func path(_ name: String) -> String? {
        var folders: [String] = []
        if let told = getenv("OFFSTAGE_EXAMPLES") { folders.append(String(cString: told)) }
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        folders += ["debug", "release"].map { "/\(root)/Examples/.build/\($0)" }
        return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}
