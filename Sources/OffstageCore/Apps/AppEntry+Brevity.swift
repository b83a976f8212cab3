// SPDX-License-Identifier: Apache-2.0

extension AppEntry {
    /// The entry, shortened for a story. Held tasks with the same name are counted. If there are more than a hundred
    /// names, only the ones held longest are listed, and the others are counted. Long names are cut, and so is a name
    /// that no session can have.
    package var abbreviated: AppEntry {
        var entry = self
        switch happening {
        case .expiring(let tasks): entry.happening = .expiring(tasks: Self.abbreviated(tasks))
        case .killed(.backgroundTimeOver(let seconds, let tasks)):
            entry.happening = .killed(.backgroundTimeOver(seconds: seconds, tasks: Self.abbreviated(tasks)))
        case .toldToEnd(.backgroundTimeOver(let seconds, let tasks)):
            entry.happening = .toldToEnd(.backgroundTimeOver(seconds: seconds, tasks: Self.abbreviated(tasks)))
        case .handledEvents(let session): entry.happening = .handledEvents(session: Self.possible(session))
        case .eventsNotHandled(let session, let seconds):
            entry.happening = .eventsNotHandled(session: Self.possible(session), seconds: seconds)
        case .killed(.eventsTooLong(let session, let seconds)):
            entry.happening = .killed(.eventsTooLong(session: Self.possible(session), seconds: seconds))
        default: break
        }
        return entry
    }

    private static func possible(_ session: String) -> String { session.first(bytes: SessionName.longestIdentifier) }

    private static func abbreviated(_ tasks: [HeldTask]) -> [HeldTask] {
        let named = counted(tasks.map { HeldTask(name: String($0.name.prefix(longestName)), seconds: $0.seconds) })
        guard named.count > mostTasks else { return named }
        let longestFirst = named.sorted { $0.seconds > $1.seconds }
        let rest = longestFirst.dropFirst(mostTasks)
        let count = rest.reduce(0) { $0 + ($1.count ?? 1) }
        let more = rest.first.map { HeldTask(name: "\(count) more", seconds: $0.seconds) }
        return longestFirst.prefix(mostTasks) + [more].compactMap { $0 }
    }

    /// Merges the tasks with the same name, in the place of the first.
    private static func counted(_ tasks: [HeldTask]) -> [HeldTask] {
        var counted: [HeldTask] = []
        var places: [String: Int] = [:]
        for task in tasks {
            guard let place = places[task.name] else {
                places[task.name] = counted.count
                counted.append(task)
                continue
            }
            counted[place].seconds = max(counted[place].seconds, task.seconds)
            counted[place].count = (counted[place].count ?? 1) + 1
        }
        return counted
    }

    private static let mostTasks = 100
    /// Characters.
    private static let longestName = 200
}
