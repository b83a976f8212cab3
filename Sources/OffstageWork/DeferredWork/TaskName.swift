// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol

/// People's names for a task, and their present meaning: `identifier`, `app/identifier`, or `task:NUMBER`.
package struct TaskName {
    /// The name as a person wrote it.
    package let text: String
    /// Running and pending tasks, by number.
    package private(set) var records: [TaskRecord] = []
    /// The apps and identifiers to look up in the history; nil means all apps.
    package private(set) var places: [(app: String?, identifier: String)] = []
    /// Nil if the name is not a number.
    package private(set) var number: UInt64?

    /// The most tasks listed in a sentence.
    private static let listed = 10
    /// The most bytes of a name: a path, a slash and an identifier.
    package static let longest = 4095 + 1 + 1024
    /// The most slashes in a name: each may be the one between the app and the identifier.
    package static let mostSlashes = 64

    /// - Throws: `WireFailure` if the name is longer than any task's.
    package init(_ text: String, in schedule: TaskSchedule, begun runs: TaskRuns) throws(WireFailure) {
        guard text.utf8.count <= Self.longest else {
            throw WireFailure(.badRequest, "The name of a task has at most \(Self.longest) bytes.")
        }
        guard text.utf8.count(where: { $0 == UInt8(ascii: "/") }) <= Self.mostSlashes else {
            throw WireFailure(
                .badRequest,
                "The name of a task has at most \(Self.mostSlashes) slashes: name the task by its number, task:NUMBER."
            )
        }
        self.text = text
        if text.hasPrefix("task:"), let number = UInt64(text.dropFirst("task:".count)) {
            self.records = [schedule.record(number)].compactMap { $0 }
            self.number = number
            return
        }
        /// The pending request, and one that started earlier.
        func records(of identifier: String, app: String) -> [TaskRecord] {
            let begun = runs.records(in: schedule, app: app).filter { $0.request.identifier == identifier }
            let pending = schedule.number(of: identifier, app: app).flatMap { schedule.record($0) }
            return begun + [pending].compactMap { $0 }
        }
        places = [(nil, text)]
        for app in schedule.apps { self.records += records(of: text, app: app) }
        // An app's identifier may be a path that contains slashes itself.
        for slash in text.indices where text[slash] == "/" {
            let (app, identifier) = (String(text[..<slash]), String(text[text.index(after: slash)...]))
            guard !app.isEmpty, !identifier.isEmpty else { continue }
            places.append((app, identifier))
            self.records += records(of: identifier, app: app)
        }
        self.records.sort { $0.request.number < $1.request.number }
    }

    /// The only task of that name that meets the condition.
    ///
    /// - Parameters:
    ///   - what: the condition as a word, for the sentence: "pending".
    ///   - applies: whether a task meets the condition.
    /// - Returns: its record; nil if no task of that name is pending or running.
    /// - Throws: `WireFailure` if the condition applies to none of them, or to several.
    package func one(thatIs what: String, where applies: (TaskRecord) -> Bool) throws(WireFailure) -> TaskRecord? {
        guard !records.isEmpty else { return nil }
        let found = records.filter(applies)
        guard let first = found.first else {
            throw WireFailure(
                .notApplicable,
                "The task \(text.redactedControls) is not \(what): see 'offstage why \(text.redactedControls)'."
            )
        }
        guard found.count == 1 else {
            let list = found.prefix(Self.listed).map(Self.text).joined(separator: ", ")
            let more = found.count > Self.listed ? " and \(found.count - Self.listed) more" : ""
            throw WireFailure(
                .badRequest,
                "\(text.redactedControls) matches \(found.count) tasks: name one of \(list)\(more)."
            )
        }
        return first
    }

    /// The failure for a missing task.
    ///
    /// - Parameter wasThere: whether there was such a task.
    /// - Returns: the failure.
    package func absent(wasThere: Bool) -> WireFailure {
        wasThere
            ? WireFailure(
                .notApplicable,
                "No task \(text.redactedControls) is pending or running: see 'offstage why \(text.redactedControls)'."
            )
            : WireFailure(.notFound, "No task \(text.redactedControls) has been submitted: see 'offstage tasks'.")
    }

    private static func text(_ record: TaskRecord) -> String {
        let request = record.request
        let phase = record.phase == .pending ? "pending" : "running"
        let name = "\(request.app)/\(request.identifier)".redactedControls
        return "task:\(request.number) (\(name), \(phase))"
    }
}
