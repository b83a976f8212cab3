// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Foundation
import Glibc
import OffstageCore

/// One run of `offstage-fleet upload`. Blocking.
struct FleetProcess: Sendable {
    let program: URL?
    /// Passed in the environment, because any user of the machine can see arguments.
    let database: String?
    let input: Data

    /// Runs the program.
    ///
    /// - Returns: the program's output.
    /// - Throws: `FleetError` with the program's own message if it fails.
    func run() throws(FleetError) -> Data {
        // Files in memory: a pipe would have to be written and read at the same time, and raises a signal if the other
        // end is gone.
        let (given, output, errors) = (try Self.memoryFile(), try Self.memoryFile(), try Self.memoryFile())
        let process = Process()
        process.executableURL = try executable()
        process.arguments = ["upload", "--fleet", "--json", "-"]
        if let database {
            process.environment = ProcessInfo.processInfo.environment.merging(["OFFSTAGE_FLEET_DATABASE": database]) {
                $1
            }
        }
        (process.standardInput, process.standardOutput, process.standardError) = (given, output, errors)
        do {
            try given.write(contentsOf: input)
            try given.seek(toOffset: 0)
            try process.run()
        } catch {
            throw FleetError("offstage-fleet cannot be started: \(error.localizedDescription)")
        }
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw FleetError(Self.sentence(Self.content(errors)) ?? "offstage-fleet has failed without saying why.")
        }
        return Self.content(output)
    }

    /// The program's message, without its name.
    private static func sentence(_ said: Data) -> String? {
        let lines = String(decoding: said, as: UTF8.self).split(separator: "\n").map { line in
            (line.hasPrefix("offstage: ") ? line.dropFirst(10) : line).description.redactedControls
        }
        return lines.isEmpty ? nil : lines.joined(separator: " ")
    }

    private static func memoryFile() throws(FleetError) -> FileHandle {
        let descriptor = offstage_memory_file("offstage-fleet")
        guard descriptor >= 0 else {
            throw FleetError("There is no room to submit: \(String(cString: strerror(errno))).")
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private static func content(_ file: FileHandle) -> Data {
        try? file.seek(toOffset: 0)
        return (try? file.readToEnd()) ?? Data()
    }

    private func executable() throws(FleetError) -> URL {
        if let program { return program }
        let environment = ProcessInfo.processInfo.environment
        var candidates = [environment["OFFSTAGE_FLEET"] ?? ""]
        if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            let slash = own.lastSlash
        {
            candidates.append(own[..<slash] + "/offstage-fleet")  // checked: an index of this very text
        }
        for folder in (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":") {
            candidates.append(folder + "/offstage-fleet")
        }
        guard let found = candidates.first(where: { !$0.isEmpty && access($0, X_OK) == 0 }) else {
            throw FleetError("The program offstage-fleet was not found beside this program or in PATH: install it.")
        }
        return URL(fileURLWithPath: found)
    }
}
