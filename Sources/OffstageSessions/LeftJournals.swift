// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Journals that are no longer written to and that are not completely in the store yet.
struct LeftJournals {
    /// The number of each app's journals, including those that cannot be opened yet.
    private var counts: [String: Int] = [:]
    /// The number of journals that each process wrote.
    private var processes: [ProcessIdentity: Int] = [:]
    /// The open journals, by name.
    private var leaving: [String: HandOverJournal] = [:]
    /// The apps of journals that this daemon does not read, because reading them crashed the daemons before.
    private(set) var appsSetAside: Set<String> = []

    var apps: [String] { Array(counts.keys) }
    func isEmpty(of app: String) -> Bool { counts[app] == nil }
    func contains(_ process: ProcessIdentity) -> Bool { processes[process] != nil }

    /// Adds an app's journal that exists, but cannot be opened yet.
    mutating func add(unopenedOf app: String) { counts[app, default: 0] += 1 }

    /// Adds an app's journal that a later daemon reads: nothing waits for it now.
    mutating func add(setAsideOf app: String) { appsSetAside.insert(app) }

    mutating func add(_ journal: HandOverJournal) {
        counts[journal.app, default: 0] += 1
        leaving[journal.name] = journal
        if let process = journal.process { processes[process, default: 0] += 1 }
    }

    /// Removes a journal that is completely in the store.
    mutating func remove(_ journal: HandOverJournal) {
        leaving[journal.name] = nil
        guard let process = journal.process else { return }
        processes[process, default: 1] -= 1
        if processes[process] == 0 { processes[process] = nil }
    }

    /// Removes a journal, left by an app, that is in the store or lost; returns whether it was the last one.
    mutating func finishOne(of app: String) -> Bool {
        counts[app, default: 1] -= 1
        guard counts[app] == 0 else { return false }
        counts[app] = nil
        return true
    }

    /// Has an app's tasks in them cancelled when they are imported, because a person quit the app.
    func cancel(_ app: String) {
        for journal in leaving.values where journal.app == app { journal.isCancelled = true }
    }

    func hasCancelled(_ app: String) -> Bool { leaving.values.contains { $0.app == app && $0.isCancelled } }
}
