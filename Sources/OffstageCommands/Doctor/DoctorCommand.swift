// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// `offstage doctor` checks everything a daemon needs, and gives advice. It does not start a daemon.
package struct DoctorCommand: Command {
    package static let path = ["doctor"]
    package static let summary = "Check folders, store, daemon, network, certificates and accounts, and say what to do."
    package static let synopsis = ["", "--open-uploads s3://BUCKET[/PREFIX] [--abort ID] [OPTION…]"]
    package static let discussion = """
        Changes nothing and starts no daemon. The exit status is 1 when something fails.

        With --open-uploads, has the daemon ask an S3 server which multipart uploads it keeps open in a bucket: their parts
        take up space, and cost money, until they are completed or aborted. --abort ends one that no transfer on record
        uses.
        """
    package static let options =
        [
            CommandOption(
                "--open-uploads",
                value: "URL",
                help: "list the uploads left open below s3://BUCKET[/PREFIX]"
            ),
            CommandOption(
                "--abort",
                value: "ID",
                help: "abort one of them, given the beginning of its ID"
            ),
        ] + S3PlaceOptions.options("with")
    package static let examples = [
        CommandExample("offstage doctor", "the first thing to run when something is odd"),
        CommandExample("offstage doctor --open-uploads s3://my-bucket/", "what interrupted uploads have left there"),
    ]

    let openUploads: OpenUploadsCheck?

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        openUploads = try OpenUploadsCheck(&arguments)
        try arguments.expectNoOperands()
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        if let openUploads { return try openUploads.run(context) }
        let findings: [Finding]
        do throws(CommandFailure) {
            findings = FileChecks.all(try context.paths(), context) + SystemChecks.all(context)
        } catch {
            findings = [Finding(.fail, "paths", error.sentences.joined(separator: " "))]
        }
        if context.printsJSON {
            context.output.print(try JSONText.of(Document(findings: findings)))
        } else {
            print(findings, context.output)
        }
        return findings.contains { $0.level == .fail } ? .failure : .success
    }

    struct Document: Encodable {
        let findings: [Finding]
    }

    private func print(_ findings: [Finding], _ output: Output) {
        let width = findings.map(\.subject.count).max() ?? 0
        for finding in findings {
            let (word, style): (String, Style) =
                switch finding.level {
                case .ok: ("ok  ", .good)
                case .warn: ("warn", .caution)
                case .fail: ("FAIL", .bad)
                }
            let subject = finding.subject + String(repeating: " ", count: width - finding.subject.count)
            output.print("\(style(word, output.usesColour))  \(subject)  \(finding.text.redactedControls)")
            if !finding.advice.isEmpty {
                output.print("      \(String(repeating: " ", count: width))  → \(finding.advice.redactedControls)")
            }
        }
        let failed = findings.count { $0.level == .fail }
        let warned = findings.count { $0.level == .warn }
        output.print(Self.verdict(failed: failed, warned: warned))
    }

    /// `No problems, 1 warning.`
    package static func verdict(failed: Int, warned: Int) -> String {
        if failed == 0, warned == 0 { return "Everything is in order." }
        let problems = failed == 0 ? "No problems" : Format.count(failed, "problem")
        return warned == 0 ? "\(problems)." : "\(problems), \(Format.count(warned, "warning"))."
    }
}
