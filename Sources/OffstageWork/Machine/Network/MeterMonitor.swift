// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore

/// Knows what the network costs, while a transfer depends on it: whether all links are those of modems, and otherwise what
/// NetworkManager says.
///
/// Used on one thread; never waits.
final class MeterMonitor {
    /// The links that lead to other networks, by their indices.
    var links: Set<Int32> = [] {
        didSet { if links != oldValue { networkChanged() } }
    }

    /// Whether any transfer depends on what the network costs: without one, nobody is asked.
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
    /// What NetworkManager said last.
    private(set) var isMetered: Bool?
    /// Whether the links are those of modems, as far as it was looked at.
    private var isCellular = false
    /// There while a transfer depends on what the network costs.
    private var question: MeterQuestion?
    /// When the first answer is not waited for any longer.
    private var due: Double?
    /// Whether the answer is as known as it will get: it has come, nobody can be asked, or it was waited for long enough.
    ///
    /// It stays so while the bus is lost and looked for again: each attempt at a bus that refuses would hold up transfers.
    private var isSettled = false

    /// Seconds that NetworkManager has to say something; then it counts as not knowing.
    private static let patience = 2.0
    /// Milliseconds.
    private static let patienceForPeople: Int32 = 100

    init(sys: SystemFolder, bus: String, watched: WatchedDescriptors) {
        self.sys = sys
        self.bus = bus
        self.watched = watched
    }

    /// Whether what the network costs is known, or cannot be known. Of use while it is wanted.
    var isKnown: Bool { isCellular || isSettled }

    /// Whether the bus is to be looked for again.
    var lacksBus: Bool { isWanted && question == nil }

    /// What a network without other limits allows, with what it costs.
    var network: MachineConditions.Network { isCellular ? .cellular : isMetered == true ? .metered : .unmetered }

    /// What others watch of the network has changed.
    func networkChanged() {
        if isWanted { isCellular = CellularLinks.areAll(links, in: sys) }
    }

    /// The answer is waited for from now on, if it is missing: on a mobile network as well, which may become another one.
    ///
    /// - Parameter uptime: the time now, in seconds of the boot-time clock.
    /// - Returns: when it is not waited for any longer; nil while none is.
    func deadline(after uptime: Double) -> Double? {
        guard isWanted, !isSettled else { return nil }
        let due = due ?? uptime + Self.patience
        self.due = due
        return due
    }

    /// Waits for the answer no longer, if its time is over.
    func giveUp(at uptime: Double) {
        guard let due, uptime >= due, !isSettled else { return }
        isMetered = nil
        isSettled = true
    }

    /// Listens to NetworkManager while that is wanted; a bus that is not there is looked for again at the next look.
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

    /// Takes in what has been heard.
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

    /// Receives the answer to `questionForPeople`, unless it has become known otherwise meanwhile.
    func receive(_ isMetered: Bool?) {
        guard !isWanted else { return }
        isCellular = CellularLinks.areAll(links, in: sys)
        self.isMetered = isMetered
    }
}
