// SPDX-License-Identifier: Apache-2.0

/// When the present conditions began, in seconds on the boot-time clock, which jumps of the wall clock do not affect.
struct TaskScheduleTimes: Sendable {
    var network: Double
    var power: Double
    var battery: Double
    var disk: Double
    var busy: Double
    /// Since when the limit of running tasks is reached; nil if it is not.
    var full: Double?
    var fullContinued: Double?
    /// Since when background refresh has been on or off, for apps in general, and for the apps for which it was
    /// changed.
    private var refresh: Double
    private var refreshOfApps: [String: Double] = [:]

    init(at time: Double) {
        network = time
        power = time
        battery = time
        disk = time
        busy = time
        refresh = time
    }

    func refresh(of app: String) -> Double { refreshOfApps[app] ?? refresh }

    mutating func updateRefresh(from old: TaskPolicy, to new: TaskPolicy, at time: Double) {
        let named = old.refreshExceptions.union(new.refreshExceptions).union(refreshOfApps.keys)
        for app in named {
            refreshOfApps[app] = old.allowsRefresh(app) == new.allowsRefresh(app) ? refresh(of: app) : time
        }
        if old.isRefreshOn != new.isRefreshOn { refresh = time }
    }
}
