// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore

/// Monitors the network's cost while a transfer depends on it: whether all links belong to modems, and otherwise
/// NetworkManager's answer.
///
/// Used on one thread; never waits.
final class MeterMonitor {
    /// The indices of the links that lead to other networks.
    var links: Set<Int32> = [] {
        didSet { if links != oldValue { networkChanged() } }
    }

    /// Whether any transfer depends on the network's cost: without one, it is not queried.
    var isWanted = false {
        didSet {
            guard isWanted != oldValue else { return }
            isSettled = false
            due = nil
            networkChanged()
            listen()
        }
    }

    private let sys: SystemFolder
    private let bus: String
    private let watched: WatchedDescriptors
    /// NetworkManager's last answer.
    private(set) var isMetered: Bool?
    /// Whether the links belong to modems, as of the last look.
    private var isCellular = false
    /// Set while a transfer depends on the network's cost.
    private var question: MeterQuestion?
    /// When the wait for the first answer ends.
    private var due: Double?
    /// Whether the answer is final: it has arrived, nothing can be queried, or the wait was long enough.
    ///
    /// It stays final while the bus is lost and searched for: each try at a bus that refuses would delay transfers.
    private var isSettled = false

    /// Seconds within which NetworkManager must answer; otherwise the cost counts as unknown.
    private static let patience = 2.0
    /// The same for people, in milliseconds.
    private static let patienceForPeople: Int32 = 100

    init(sys: SystemFolder, bus: String, watched: WatchedDescriptors) {
        self.sys = sys
        self.bus = bus
        self.watched = watched
    }

    /// Whether the network's cost is known, or cannot be known. Only meaningful while it is wanted.
    var isKnown: Bool { isCellular || isSettled }

    /// Whether to look for the bus again.
    var lacksBus: Bool { isWanted && question == nil }

    /// The condition of a network without other limits, given its cost.
    var network: MachineConditions.Network { isCellular ? .cellular : isMetered == true ? .metered : .unmetered }

    /// Handles a change in the network's links.
    func networkChanged() {
        if isWanted { isCellular = CellularLinks.areAll(links, in: sys) }
    }

    /// Starts the wait for the answer, if it is missing: on a mobile network as well, which may change to another one.
    ///
    /// - Parameter uptime: the time now, in seconds of the boot-time clock.
    /// - Returns: when the wait ends; nil if there is none.
    func deadline(after uptime: Double) -> Double? {
        guard isWanted, !isSettled else { return nil }
        let due = due ?? uptime + Self.patience
        self.due = due
        return due
    }

    /// Ends the wait for the answer, if its time is over.
    func giveUp(at uptime: Double) {
        guard let due, uptime >= due, !isSettled else { return }
        isMetered = nil
        isSettled = true
    }

    /// Listens to NetworkManager while this is wanted; a missing bus is searched for again at the next look.
    func listen() {
        guard isWanted else {
            if let question { watched.remove(question.descriptor) }
            question = nil
            return
        }
        guard question == nil else { return }
        guard let fresh = MeterQuestion(watching: bus), watched.add(fresh.descriptor, .meter, offstage_epoll_in) else {
            isMetered = nil
            isSettled = true
            return
        }
        question = fresh
    }

    /// Handles received messages.
    func receiveNews() {
        guard let asked = question else { return }
        asked.readable()
        if asked.isAnswered || asked.hasEnded {
            isMetered = asked.isMetered
            isSettled = true
        }
        if asked.hasEnded {
            watched.remove(asked.descriptor)
            question = nil
        }
    }

    /// See `ConditionMonitor.meterQuestion`.
    var questionForPeople: (@Sendable () -> Bool?)? {
        guard !isWanted else { return nil }
        return { [bus] in MeterQuestion.ask(path: bus, patience: Self.patienceForPeople) }
    }

    /// Receives the answer to `questionForPeople`, unless the cost has become known in another way meanwhile.
    func receive(_ isMetered: Bool?) {
        guard !isWanted else { return }
        isCellular = CellularLinks.areAll(links, in: sys)
        self.isMetered = isMetered
    }
}
