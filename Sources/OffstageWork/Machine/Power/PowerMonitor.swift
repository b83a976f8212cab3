// SPDX-License-Identifier: Apache-2.0
import COffstageLinux

/// Knows what the machine runs on, and hears of changes where the kernel tells.
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

    /// Whether a battery may run down without a word from the kernel.
    var mustBeLookedAt: Bool { state.hasBattery && !isHeard }

    private var isHeard: Bool { devices != nil && isSpokenTo }

    /// Reads everything again.
    func look() {
        supplies = PowerSupply.all(in: sys)
        state = PowerState(supplies)
    }

    /// Takes in what has been heard.
    func receiveNews() {
        if devices?.readable() == true { look() }
    }

    /// Listens to the kernel, or does not any longer.
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

    /// A few words for people on where power and battery come from.
    var sources: (power: String, battery: String) {
        let batteries = supplies.filter(\.isBattery).map(\.name)
        guard !batteries.isEmpty else { return ("no battery: counts as external", "no battery") }
        // While nobody depends on it, it is read when somebody asks.
        let pause = isHeard || !isWanted ? "" : ", checked every minute"
        return (supplies.map(\.name).joined(separator: ", ") + pause, batteries.joined(separator: ", ") + pause)
    }
}

extension PowerSupply {
    fileprivate var isBattery: Bool {
        if case .battery = role { true } else { false }
    }
}
