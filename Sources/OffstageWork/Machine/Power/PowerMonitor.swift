// SPDX-License-Identifier: Apache-2.0
import COffstageLinux

/// Monitors the machine's power source, and receives the changes that the kernel reports.
///
/// Used on one thread; never waits.
final class PowerMonitor {
    private let sys: SystemFolder
    /// The devices whose events cause power to be read again; nil to listen for no events.
    private let subsystem: String?
    private let isSpokenTo: Bool
    private let watched: WatchedDescriptors
    private var supplies: [PowerSupply] = []
    private(set) var state = PowerState([])
    private var devices: DeviceEventSocket?
    private var isWanted = false

    init(sys: SystemFolder, proc: SystemFolder, subsystem: String?, watched: WatchedDescriptors) {
        self.sys = sys
        self.subsystem = subsystem
        self.watched = watched
        isSpokenTo = DeviceEventSocket.isSpokenTo(in: proc)
    }

    /// Whether a battery may run down without a report from the kernel.
    var mustBeLookedAt: Bool { state.hasBattery && !isHeard }

    private var isHeard: Bool { devices != nil && isSpokenTo }

    /// Reads everything again.
    func look() {
        supplies = PowerSupply.all(in: sys)
        state = PowerState(supplies)
    }

    /// Handles received reports.
    func receiveNews() {
        if devices?.readable() == true { look() }
    }

    /// Starts or stops listening to the kernel.
    func listen(_ isWanted: Bool) {
        self.isWanted = isWanted
        if !isWanted {
            if let devices { watched.remove(devices.descriptor) }
            devices = nil
        } else if devices == nil, let subsystem, let socket = DeviceEventSocket(subsystem: subsystem),
            watched.add(socket.descriptor, .devices, offstage_epoll_in)
        {
            devices = socket
        }
    }

    /// The sources of power and battery, in a few words for people.
    var sources: (power: String, battery: String) {
        let batteries = supplies.filter(\.isBattery).map(\.name)
        guard !batteries.isEmpty else { return ("no battery: counts as external", "no battery") }
        // While nothing depends on it, it is read on request.
        let pause = isHeard || !isWanted ? "" : ", checked every minute"
        return (supplies.map(\.name).joined(separator: ", ") + pause, batteries.joined(separator: ", ") + pause)
    }
}

extension PowerSupply {
    fileprivate var isBattery: Bool {
        if case .battery = role { true } else { false }
    }
}
