// SPDX-License-Identifier: Apache-2.0

/// Since when conditions have been as they are: seconds on the boot-time clock, which no jump of the wall clock moves.
struct TaskScheduleTimes: Sendable {
    var network: Double
    var power: Double
    var battery: Double
    var disk: Double
    var busy: Double
    /// Since when as many run as may; nil when more may.
    var full: Double?
    var fullContinued: Double?
    /// Since when background refresh is on or off, for apps in general, and for those for which it was changed.
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

    mutating func noteRefresh(from old: TaskPolicy, to new: TaskPolicy, at time: Double) {
        let named = old.refreshExceptions.union(new.refreshExceptions).union(refreshOfApps.keys)
        for app in named {
            refreshOfApps[app] = old.allowsRefresh(app) == new.allowsRefresh(app) ? refresh(of: app) : time
        }
        if old.isRefreshOn != new.isRefreshOn { refresh = time }
    }
}
