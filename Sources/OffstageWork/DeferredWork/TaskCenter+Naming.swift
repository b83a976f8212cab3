// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// How people name a task: `identifier`, `app/identifier`, or `task:NUMBER`.
extension TaskCenter {
    /// What a name means.
    struct Named {
        /// Those that are begun or pending, by number.
        var records: [TaskRecord] = []
        /// Under which apps and identifiers the history is looked up; an app of nil means all.
        var places: [(app: String?, identifier: String)] = []
        /// Nil when the name is not a number.
        var number: UInt64?
    }

    func named(_ name: String) -> Named {
        if name.hasPrefix("task:"), let number = UInt64(name.dropFirst("task:".count)) {
            return Named(records: [schedule.record(number)].compactMap { $0 }, number: number)
        }
        var named = Named(places: [(nil, name)])
        let known = schedule.apps
        for app in known { named.records += records(of: name, app: app) }
        // The identifier of an app may be a path, with slashes of its own.
        for slash in name.indices where name[slash] == "/" {
            let (app, identifier) = (String(name[..<slash]), String(name[name.index(after: slash)...]))
            guard !app.isEmpty, !identifier.isEmpty else { continue }
            named.places.append((app, identifier))
            named.records += records(of: identifier, app: app)
        }
        named.records.sort { $0.request.number < $1.request.number }
        return named
    }

    /// The one that is pending, and the one that was begun before.
    private func records(of identifier: String, app: String) -> [TaskRecord] {
        let begun = runs.keys.compactMap { schedule.record($0) }
            .filter { $0.request.app == app && $0.request.identifier == identifier }
        let pending = schedule.number(of: identifier, app: app).flatMap { schedule.record($0) }
        return begun + [pending].compactMap { $0 }
    }

    /// The one task of that name that something applies to.
    ///
    /// - Parameters:
    ///   - name: as a person wrote it.
    ///   - what: what it is to be, for the sentence: "pending".
    ///   - applies: whether it is.
    /// - Returns: its record.
    /// - Throws: `WireFailure` when there is none, or there are several.
    func one(
        _ name: String,
        thatIs what: String,
        where applies: (TaskRecord) -> Bool
    ) async throws -> TaskRecord {
        let named = named(name)
        let all = named.records
        guard !all.isEmpty else { throw try await absent(name, named) }
        let found = all.filter(applies)
        guard let first = found.first else {
            throw WireFailure(
                .notApplicable,
                "The task \(name.redactedControls) is not \(what): see 'offstage why \(name.redactedControls)'."
            )
        }
        guard found.count == 1 else {
            let list = found.prefix(Self.listed).map(Self.text).joined(separator: ", ")
            let more = found.count > Self.listed ? " and \(found.count - Self.listed) more" : ""
            throw WireFailure(
                .badRequest,
                "\(name.redactedControls) means \(found.count) tasks: name one of \(list)\(more)."
            )
        }
        return first
    }

    /// Of one that neither is pending nor runs: whether there has been one is on record.
    private func absent(_ name: String, _ named: Named) async throws -> WireFailure {
        // Entries that are on their way come first.
        try await untilDurable()
        guard try await !history(of: named).isEmpty else { return Self.unknown(name) }
        return WireFailure(
            .notApplicable,
            "No task \(name.redactedControls) is pending or running: see 'offstage why \(name.redactedControls)'."
        )
    }

    /// So many are listed in a sentence.
    private static let listed = 10

    private static func text(_ record: TaskRecord) -> String {
        let request = record.request
        let phase = record.phase == .pending ? "pending" : "running"
        let name = "\(request.app)/\(request.identifier)".redactedControls
        return "task:\(request.number) (\(name), \(phase))"
    }

    static func unknown(_ name: String) -> WireFailure {
        WireFailure(
            .notFound,
            "No task \(name.redactedControls) has been submitted: see 'offstage tasks'."
        )
    }
}
