// SPDX-License-Identifier: Apache-2.0

/// The targets of a signal for an app. Never the daemon itself, which may be in the app's group or descend from it,
/// because the app may have started it.
package enum SignalReach: Sendable, Equatable {
    /// The app is the daemon's own process, or not a process that can be signalled.
    case nobody
    /// Its whole process group.
    case group
    /// The process and its descendants in its session, except the daemon and everything that it has started.
    case tree

    /// - Parameters:
    ///   - app: the process and its group.
    ///   - own: the daemon's process and group.
    package init(app: (number: Int32, group: Int32), own: (number: Int32, group: Int32)) {
        // To kill(2), 0 and below mean groups or all processes.
        guard app.number > 0, app.number != own.number else {
            self = .nobody
            return
        }
        // Group 1, of a container's first process, cannot be named in kill(2): -1 means all processes.
        self = app.number == app.group && app.group > 1 && app.group != own.group ? .group : .tree
    }
}
