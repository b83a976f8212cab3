// SPDX-License-Identifier: Apache-2.0

/// An app's process to be stopped, continued, killed and looked at, on whatever thread.
struct SignalTarget: Sendable {
    let process: any HeldProcess
    /// The group that it was born in; nil without one.
    let cgroup: String?

    /// Signals act at once, the freezer some milliseconds later, but on whatever the process has started.
    func stop(freezer: Freezer?) {
        process.stop()
        if let cgroup { freezer?.freeze(cgroup) }
    }

    /// Continued first: that takes back a stop that the freezer came before.
    func resume(freezer: Freezer?) {
        process.resume()
        if let cgroup { freezer?.thaw(cgroup) }
    }

    /// What is frozen can be killed all the same.
    func kill(freezer: Freezer?) {
        process.kill()
        if let cgroup { freezer?.thaw(cgroup) }
    }

    /// Whether it is stopped, or frozen, whichever came first; nil once it has ended.
    func isStopped(freezer: Freezer?) -> Bool? {
        guard let isStopped = process.isStopped() else { return nil }
        if isStopped { return true }
        return cgroup.flatMap { freezer?.isFrozen($0) } ?? false
    }
}
