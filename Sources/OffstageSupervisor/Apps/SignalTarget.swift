// SPDX-License-Identifier: Apache-2.0

/// An app's process that can be stopped, continued, killed and inspected, on any thread.
struct SignalTarget: Sendable {
    let process: any HeldProcess
    /// The cgroup that it was started in; nil without one.
    let cgroup: String?

    /// Stops it. Signals act immediately; the freezer some milliseconds later, but on all that the process started.
    func stop(freezer: Freezer?) {
        process.stop()
        if let cgroup { freezer?.freeze(cgroup) }
    }

    /// Continues it. The signal is sent first, to undo a stop that the freezer overtook.
    func resume(freezer: Freezer?) {
        process.resume()
        if let cgroup { freezer?.thaw(cgroup) }
    }

    /// Kills it; this also works for a frozen process.
    func kill(freezer: Freezer?) {
        process.kill()
        if let cgroup { freezer?.thaw(cgroup) }
    }

    /// Whether it is stopped or frozen, whichever happened first; nil once it has ended.
    func isStopped(freezer: Freezer?) -> Bool? {
        guard let isStopped = process.isStopped() else { return nil }
        if isStopped { return true }
        return cgroup.flatMap { freezer?.isFrozen($0) } ?? false
    }
}
