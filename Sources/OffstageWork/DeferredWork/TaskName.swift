// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol

/// How people name a task, and what that means now: `identifier`, `app/identifier`, or `task:NUMBER`.
package struct TaskName {
    /// As a person wrote it.
    package let text: String
    /// Those that are begun or pending, by number.
    package private(set) var records: [TaskRecord] = []
    /// Under which apps and identifiers the history is looked up; an app of nil means all.
    package private(set) var places: [(app: String?, identifier: String)] = []
    /// Nil when the name is not a number.
    package private(set) var number: UInt64?

    /// So many are listed in a sentence.
    private static let listed = 10

    package init(_ text: String, in schedule: TaskSchedule, begun runs: TaskRuns) {
        self.text = text
        if text.hasPrefix("task:"), let number = UInt64(text.dropFirst("task:".count)) {
            self.records = [schedule.record(number)].compactMap { $0 }
            self.number = number
            return
        }
        /// The one that is pending, and the one that was begun before.
        func records(of identifier: String, app: String) -> [TaskRecord] {
            let begun = runs.records(in: schedule, app: app).filter { $0.request.identifier == identifier }
            let pending = schedule.number(of: identifier, app: app).flatMap { schedule.record($0) }
            return begun + [pending].compactMap { $0 }
        }
        places = [(nil, text)]
        for app in schedule.apps { self.records += records(of: text, app: app) }
        // The identifier of an app may be a path, with slashes of its own.
        for slash in text.indices where text[slash] == "/" {
            let (app, identifier) = (String(text[..<slash]), String(text[text.index(after: slash)...]))
            guard !app.isEmpty, !identifier.isEmpty else { continue }
            places.append((app, identifier))
            self.records += records(of: identifier, app: app)
        }
        self.records.sort { $0.request.number < $1.request.number }
    }

    /// The one task of that name that something applies to.
    ///
    /// - Parameters:
    ///   - what: what it is to be, for the sentence: "pending".
    ///   - applies: whether it is.
    /// - Returns: its record; nil when no task of that name is pending or begun.
    /// - Throws: `WireFailure` when it applies to none of them, or to several.
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
                "\(text.redactedControls) means \(found.count) tasks: name one of \(list)\(more)."
            )
        }
        return first
    }

    /// What is said when there is no such task.
    ///
    /// - Parameter wasThere: whether there has been one.
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
