// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Journals that nobody adds to any more and that are not yet wholly in the store.
struct LeftJournals {
    /// How many each app has, those that cannot be opened yet included.
    private var counts: [String: Int] = [:]
    /// How many each process has written.
    private var processes: [ProcessIdentity: Int] = [:]
    /// Those that are open, by their names.
    private var leaving: [String: HandOverJournal] = [:]

    var apps: [String] { Array(counts.keys) }
    func isEmpty(of app: String) -> Bool { counts[app] == nil }
    func contains(_ process: ProcessIdentity) -> Bool { processes[process] != nil }

    /// One of an app that is there, and cannot be opened yet.
    mutating func add(unopenedOf app: String) { counts[app, default: 0] += 1 }

    mutating func add(_ journal: HandOverJournal) {
        counts[journal.app, default: 0] += 1
        leaving[journal.name] = journal
        if let process = journal.process { processes[process, default: 0] += 1 }
    }

    /// It is in the store, to its end.
    mutating func remove(_ journal: HandOverJournal) {
        leaving[journal.name] = nil
        guard let process = journal.process else { return }
        processes[process, default: 1] -= 1
        if processes[process] == 0 { processes[process] = nil }
    }

    /// One that an app left is in the store, or lost; returns whether it was the last.
    mutating func finishOne(of app: String) -> Bool {
        counts[app, default: 1] -= 1
        guard counts[app] == 0 else { return false }
        counts[app] = nil
        return true
    }

    /// What an app has handed over by them is cancelled as it is taken in: the person quit it.
    func cancel(_ app: String) {
        for journal in leaving.values where journal.app == app { journal.isCancelled = true }
    }

    func hasCancelled(_ app: String) -> Bool { leaving.values.contains { $0.app == app && $0.isCancelled } }
}
