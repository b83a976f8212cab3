// SPDX-License-Identifier: Apache-2.0

extension AppEntry {
    /// The same without what a story has no room for: of more than a hundred held tasks those held longest and a count of
    /// the rest, and of long names the beginning.
    package var abbreviated: AppEntry {
        var entry = self
        switch happening {
        case .expiring(let tasks): entry.happening = .expiring(tasks: Self.abbreviated(tasks))
        case .killed(.backgroundTimeOver(let seconds, let tasks)):
            entry.happening = .killed(.backgroundTimeOver(seconds: seconds, tasks: Self.abbreviated(tasks)))
        case .toldToEnd(.backgroundTimeOver(let seconds, let tasks)):
            entry.happening = .toldToEnd(.backgroundTimeOver(seconds: seconds, tasks: Self.abbreviated(tasks)))
        default: break
        }
        return entry
    }

    private static func abbreviated(_ tasks: [HeldTask]) -> [HeldTask] {
        let longestFirst = tasks.count > mostTasks ? tasks.sorted { $0.seconds > $1.seconds } : tasks
        var kept = longestFirst.prefix(mostTasks).map {
            HeldTask(name: String($0.name.prefix(longestName)), seconds: $0.seconds)
        }
        if let next = longestFirst.dropFirst(mostTasks).first {
            kept.append(HeldTask(name: "\(tasks.count - mostTasks) more", seconds: next.seconds))
        }
        return kept
    }

    private static let mostTasks = 100
    /// Characters.
    private static let longestName = 200
}
