// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageProtocol

/// `offstage manual FOLDER` writes the manual pages, for packages.
package struct ManualCommand: Command {
    package static let path = ["manual"]
    package static let summary = "Write the manual pages into a folder, for a package."
    package static let synopsis = ["FOLDER"]
    package static let discussion = """
        The pages are in mdoc, in FOLDER/man1, man5 and man8. Their date is that of SOURCE_DATE_EPOCH (seconds since 1970), or
        today's.
        """
    package static let operands = OperandKind.files
    package static let examples = [CommandExample("offstage manual build/share/man", "all pages")]

    /// Every page of the manual.
    package static var pages: [ManualPage] {
        let commands = CommandLineTool.commands
        return [ManualPage(ofAll: commands)] + commands.map { ManualPage(of: $0, among: commands) }
            + [ManualPage(ofFleet: CommandLineTool.fleetCommands), .settings, .daemon, .notifier]
    }

    let folder: String

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let words = arguments.takeOperands()
        guard words.count == 1 else { throw UsageError("name one folder") }
        folder = words[0]
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let root = folder.hasPrefix("/") ? folder : "\(context.workingDirectory)/\(folder)"
        let date = try Self.date(context)
        var files: [String] = []
        for page in Self.pages {
            let path = "\(root)/\(page.file)"
            do {
                try FileManager.default.createDirectory(
                    atPath: "\(root)/man\(page.section)",
                    withIntermediateDirectories: true
                )
                let text = page.mdoc(date: date, version: OffstageVersion.current.description)
                try Data(text.utf8).write(to: URL(filePath: path))
            } catch {
                throw CommandFailure("\(path) cannot be written (\(error)): choose another folder.")
            }
            files.append(page.file)
        }
        context.output.print(
            context.printsJSON ? try JSONText.of(["pages": files]) : "\(files.count) pages in \(root)"
        )
        return .success
    }

    /// `November 26, 2026`, in UTC, so builds are reproducible everywhere.
    private static func date(_ context: CommandContext) throws(UsageError) -> String {
        var seconds = context.now().timeIntervalSince1970
        if let text = context.environment["SOURCE_DATE_EPOCH"], !text.isEmpty {
            // Up to the year 9999.
            guard let given = Int64(text), (0...253_402_300_799).contains(given) else {
                throw UsageError("SOURCE_DATE_EPOCH is '\(text)', which is not a number of seconds since 1970")
            }
            seconds = Double(given)
        }
        let parts = Date(timeIntervalSince1970: seconds).ISO8601Format().prefix(10).split(separator: "-")
        let names = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        guard parts.count == 3, let month = Int(parts[1]), (1...12).contains(month), let day = Int(parts[2]) else {
            throw UsageError("the clock shows no date")
        }
        // checked: the month is among the names.
        return "\(names[month - 1]) \(day), \(parts[0])"
    }
}
