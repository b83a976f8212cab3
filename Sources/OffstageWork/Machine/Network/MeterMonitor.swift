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
    /// When the first answer is not waited for any longer, and whether that was so.
    private var due: Double?
    private var hasWaited = false

    /// Seconds that NetworkManager has to say something; then it counts as not knowing.
    static let patience = 2.0
    /// Milliseconds.
    private static let patienceForPeople: Int32 = 100

    init(sys: SystemFolder, bus: String, watched: WatchedDescriptors) {
        self.sys = sys
        self.bus = bus
        self.watched = watched
    }

    /// Whether what the network costs is known, or cannot be known. Of use while it is wanted.
    var isKnown: Bool { isCellular || question?.isAnswered ?? true || hasWaited }

    /// Whether the bus is to be looked for again.
    var lacksBus: Bool { isWanted && question == nil }

    /// What a network without other limits allows, with what it costs.
    var network: MachineConditions.Network { isCellular ? .cellular : isMetered == true ? .metered : .unmetered }

    /// What others watch of the network has changed.
    func networkChanged() {
        if isWanted { isCellular = CellularLinks.areAll(links, in: sys) }
    }

    /// The answer is waited for from now on, if it is missing.
    ///
    /// - Parameter uptime: the time now, in seconds of the boot-time clock.
    /// - Returns: when it is not waited for any longer; nil while none is.
    func deadline(after uptime: Double) -> Double? {
        guard !isKnown else { return nil }
        let due = due ?? uptime + Self.patience
        self.due = due
        return due
    }

    /// - Returns: whether the answer is not waited for any longer, from now on.
    func giveUp(at uptime: Double) -> Bool {
        guard let due, uptime >= due, !isKnown else { return false }
        isMetered = nil
        hasWaited = true
        return true
    }

    /// Listens to NetworkManager while that is wanted; a bus that is not there is looked for again at the next look.
    func listen() {
        guard isWanted else {
            if let question { watched.remove(question.descriptor) }
            question = nil
            return
        }
        guard question == nil else { return }
        due = nil
        hasWaited = false
        guard let fresh = MeterQuestion(watching: bus), watched.add(fresh.descriptor, .meter, offstage_epoll_in) else {
            isMetered = nil
            return
        }
        question = fresh
    }

    /// Takes in what has been heard.
    ///
    /// - Returns: whether the answer is another one, or the first.
    func receiveNews() -> Bool {
        let hasNews = question?.readable() ?? false
        if hasNews { isMetered = question?.isMetered }
        if let ended = question, ended.hasEnded {
            watched.remove(ended.descriptor)
            question = nil
        }
        return hasNews
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
