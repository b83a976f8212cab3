// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore
package import OffstageProtocol

/// Deferred tasks, as sentences.
package enum TaskText {
    /// `com.example.app.sync`, after its app if the identifier does not begin with that.
    package static func name(_ identifier: String, of app: String) -> String {
        (identifier.hasPrefix(app) ? identifier : "\(app)/\(identifier)").redactedControls
    }

    package static func kind(_ kind: TaskRequest.Kind) -> String {
        switch kind {
        case .refresh, .processing, .continued: kind.rawValue
        case .healthResearch: "health research"
        }
    }

    /// What the task waits for, or its progress, in a few words.
    package static func standing(_ row: TaskRow) -> String {
        if let progress = row.progress { return self.progress(progress) }
        let title = row.record.request.title
        return (title.isEmpty ? row.reason.summary : "\(row.reason.summary): \(title)").redactedControls
    }

    /// `45%  Export: 9 of 20`.
    package static func progress(_ progress: TaskProgress) -> String {
        let total = progress.total > 0 ? progress.total : nil
        let percent = Format.percent(done: progress.completed, total: total).map { "\($0)%  " } ?? ""
        let words = [progress.title, progress.subtitle].filter { !$0.isEmpty }.joined(separator: ": ")
        return (percent + words).redactedControls
    }

    package static func style(_ row: TaskRow) -> Style? {
        switch row.reason.cause {
        case .running, .starting: .good
        case .earliestBegin, .othersRun, .retry, .machineBusy: nil
        default: .caution
        }
    }

    /// When the task is checked next; empty if that depends on an event, or if it is running.
    package static func next(_ row: TaskRow, now: Date) -> String {
        row.reason.nextLook.map { Format.time($0, now: now) } ?? ""
    }

    /// What the user could do, with the task and its app in the command to type.
    package static func advice(_ row: TaskRow) -> String {
        let request = row.record.request
        return row.reason.advice
            .replacing(" TASK", with: " task:\(request.number)")
            .replacing(" APP", with: " \(request.app)")
    }

    /// Fully explains why a task does not run: what, why, since when, when next, what to do, what is pretended.
    package static func why(_ row: TaskRow, _ machine: ConditionsReport, now: Date, usesColour: Bool) -> [String] {
        let request = row.record.request
        let number = Style.strong("task:\(request.number)", usesColour)
        let kind = "\(TaskText.kind(request.kind)) task of \(request.app)"
        var lines = [
            "\(number)  \(request.identifier.redactedControls)  (\(kind.redactedControls))",
            "    \(style(row)?(standing(row), usesColour) ?? standing(row)), \(when(row, now: now))",
            "    \(advice(row).redactedControls)",
        ]
        lines += pretence(row, machine).map { "    " + Style.bad($0, usesColour) }
        lines.append("    " + Style.faint(asked(row.record, now: now), usesColour))
        return lines
    }

    private static func when(_ row: TaskRow, now: Date) -> String {
        let since = row.reason.since
        let text = "since \(Format.time(since, now: now)) (\(Format.duration(now.timeIntervalSince(since))))"
        switch (row.reason.cause, row.reason.nextLook) {
        case (.running, _): return text
        case (_, let next?):
            let left = next.timeIntervalSince(now)
            return left > 0
                ? "\(text), next check at \(Format.time(next, now: now)) (in \(Format.duration(left)))"
                : "\(text), next check now"
        case (_, nil): return "\(text), checked when something changes"
        }
    }

    /// The pretended part of the reason, and how to end the pretence.
    static func pretence(_ row: TaskRow, _ machine: ConditionsReport) -> [String] {
        let pretended = Set(ConditionsText.pretended(machine.pretended).map(\.name))
        return row.reason.conditions.filter(pretended.contains).map { name in
            let value = ConditionsText.value(name, machine.conditions) ?? "none"
            return "Only pretended: \(name) \(value). 'offstage condition clear \(name)' undoes that."
        }
    }

    /// `Submitted at 14:03:12, not before 16:00:00, with a network and external power; started 2 times, and came back.`
    static func asked(_ record: TaskRecord, now: Date) -> String {
        let request = record.request
        var text = "Submitted at \(Format.time(request.submitted.wall, now: now))"
        if let date = request.earliestBegin { text += ", not before \(Format.time(date, now: now))" }
        let wants = [
            request.requiresNetwork ? "a network" : nil, request.requiresExternalPower ? "external power" : nil,
            request.kind.needsIdleMachine ? "an idle machine" : nil,
        ].compactMap(\.self)
        if !wants.isEmpty { text += ", with \(list(wants))" }
        if record.attempts > 0 {
            text += "; started \(record.attempts == 1 ? "once" : "\(record.attempts) times"), and came back"
        }
        return text + "."
    }

    private static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }

    /// `completed, after 2.3 s`.
    package static func outcome(_ entry: TaskEntry) -> String {
        switch entry.outcome {
        case .ended(.completed, _, let seconds), .ended(.expired, _, let seconds), .ended(.appEnded, _, let seconds):
            "\(entry.outcome.summary), after \(Format.seconds(seconds))".redactedControls
        default: entry.outcome.summary.redactedControls
        }
    }

    package static func style(_ entry: TaskEntry) -> Style? {
        switch entry.outcome {
        case .ended(.completed(success: true), _, _): .good
        case .ended(.completed(success: false), _, _), .ended(.expired, _, _), .interrupted: .caution
        case .ended, .refused: .bad
        case .cancelled, .replaced, .dropped: .faint
        }
    }

    /// Shown with every refusal, since the app's own code received the error, which often goes unnoticed.
    package static let swallowed =
        "Nothing was submitted, and 'submit' threw: the app's code may have swallowed the error with 'try?'."
}

extension TaskReason {
    /// The conditions involved, by their names in `offstage condition`.
    var conditions: [String] {
        switch cause {
        case .noNetwork: ["network"]
        case .noExternalPower: ["power"]
        case .lowBattery: ["power", "battery"]
        case .diskFull: ["disk"]
        case .machineBusy: ["load"]
        default: []
        }
    }
}
