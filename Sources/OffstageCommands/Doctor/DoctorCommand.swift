// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// `offstage doctor` checks everything a daemon needs, and says what to do; it starts none.
package struct DoctorCommand: Command {
    package static let path = ["doctor"]
    package static let summary = "Check folders, store, daemon, network, certificates and accounts, and say what to do."
    package static let synopsis = [""]
    package static let discussion = "Changes nothing and starts no daemon. The exit status is 1 when something fails."
    package static let examples = [CommandExample("offstage doctor", "the first thing to run when something is odd")]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) { try arguments.expectNoOperands() }

    package func run(_ context: CommandContext) throws -> ExitStatus {
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
