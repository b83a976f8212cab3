// SPDX-License-Identifier: Apache-2.0
import Foundation
import PackagePlugin

/// `swift package offstage-bundle`: builds a package's programs, makes a `.app` of each that has an `Info.plist`, and
/// builds `offstage` and `offstaged` next to them.
@main
struct OffstageBundle: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let request = try BundleRequest(arguments)
        guard !request.wantsHelp else { return print(BundleRequest.help) }
        let programs = try request.programs(of: context.package)
        // The app's own code is built first, so that mistakes in it show soonest.
        var executables: [URL] = []
        for program in programs { executables.append(try build(program.name, request)) }
        // Built by name, and not declared as tools of the plugin: SwiftPM would compile tools a second time, apart from
        // the app's libraries, and finds no tool whose product is named differently from its target.
        let command = try build("offstage", request)
        let daemon = try build("offstaged", request)
        if programs.contains(where: \.notifies) { _ = try build("offstage-notifier", request) }
        for (program, executable) in zip(programs, executables) {
            try bundle(executable, program.plist, request.identifier, with: command)
        }
        print("The command is \(command.path), the daemon \(daemon.path).")
    }

    /// - Returns: the executable.
    private func build(_ product: String, _ request: BundleRequest) throws -> URL {
        let result = try packageManager.build(
            .product(product),
            parameters: .init(configuration: request.configuration, echoLogs: true)
        )
        guard result.succeeded else {
            throw BundleFailure("'\(product)' does not build: the lines above say why.")
        }
        let made = result.builtArtifacts.first { $0.kind == .executable && $0.url.lastPathComponent == product }
        guard let made else { throw BundleFailure("'\(product)' was built, and SwiftPM does not say where it is.") }
        return made.url
    }

    /// Runs the command that makes the `.app`; it prints what it has made, or why it could not.
    private func bundle(_ executable: URL, _ plist: URL, _ identifier: String?, with command: URL) throws {
        let process = Process()
        process.executableURL = command
        process.arguments = ["app", "bundle", executable.path, "--plist", plist.path, "--force"]
        if let identifier { process.arguments?.append("--identifier=\(identifier)") }
        let complaint = Pipe()
        process.standardError = complaint
        do { try process.run() } catch {
            throw BundleFailure("\(command.path) cannot be run: \(error.localizedDescription)")
        }
        let said = String(decoding: complaint.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let reason = said.trimmingPrefix("offstage: ").trimmingCharacters(in: .whitespacesAndNewlines)
            throw BundleFailure(reason.isEmpty ? "\(command.path) made no app of \(executable.path)." : reason)
        }
    }
}
