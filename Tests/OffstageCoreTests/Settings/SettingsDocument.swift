// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// The tables of docs/settings.md, docs/timing.md and docs/exit-codes.md, from the sources of the manual pages.
enum SettingsDocument {
    /// A part of a page, between two comments with its name.
    struct Table: Sendable, CustomTestStringConvertible {
        let name: String
        let page: String
        let text: String

        var testDescription: String { "\(page): \(name)" }
    }

    static var tables: [Table] {
        [
            Table(name: "introduction", page: "settings.md", text: introduction),
            Table(name: "settings", page: "settings.md", text: settings),
            Table(name: "deferred work", page: "settings.md", text: deferredWork),
            Table(name: "environment", page: "settings.md", text: environment),
            Table(name: "places", page: "settings.md", text: places),
            Table(name: "schedule", page: "timing.md", text: schedule),
            Table(name: "statuses", page: "exit-codes.md", text: statuses),
        ]
    }

    private static var introduction: String {
        """
        \(SettingsReference.introduction.map(folded).joined(separator: "\n\n"))

        <!-- block: run as settings.json
        mkdir -p "$OFFSTAGE_HOME"
        mv settings.json "$OFFSTAGE_HOME/"
        offstage list
        offstage daemon status
        -->
        ```json
        \(SettingsReference.example)
        ```

        """
    }

    private static var settings: String {
        table(
            ["key", "meaning", "values", "default"],
            SettingsReference.settings.map { ["`\($0.key)`", $0.meaning, $0.values.text, $0.usual] }
        )
    }

    private static var deferredWork: String {
        table(
            ["key", "meaning", "values", "default", "with `strict`"],
            SettingsReference.deferredWork.map { ["`\($0.key)`", $0.meaning, $0.values.text, $0.usual, $0.strict] }
        )
    }

    private static var schedule: String {
        table(
            ["key", "meaning"],
            SettingsReference.schedule.map { setting in
                [setting.key.split(separator: ", ").map { "`\($0)`" }.joined(separator: ", "), setting.meaning]
            }
        )
    }

    private static var environment: String {
        table(
            ["variable", "meaning"],
            PlacesReference.variables.map { [$0.names.map { "`\($0)`" }.joined(separator: ", "), $0.meaning] }
        )
    }

    private static var places: String {
        table(
            ["what", "by default", "under `OFFSTAGE_HOME`"],
            PlacesReference.places.map { [$0.what, $0.usual, $0.underHome] }
        )
    }

    private static var statuses: String {
        table(["code", "meaning"], DaemonReference.exitStatuses.map { ["\($0.code)", $0.meaning] })
    }

    private static func table(_ head: [String], _ rows: [[String]]) -> String {
        func line(_ cells: [String]) -> String {
            "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined() + "\n"
        }
        return line(head) + "|" + String(repeating: "---|", count: head.count) + "\n" + rows.map(line).joined()
    }

    /// Folds text into lines of up to 120 characters.
    private static func folded(_ text: String) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if line.count + word.count < 120 {
                lines[lines.count - 1] = "\(line) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n")
    }
}
