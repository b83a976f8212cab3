// SPDX-License-Identifier: Apache-2.0

/// Decides after crashes of the daemon which work may begin, begins alone, or is set aside: one cause of traps must not
/// affect everything else.
///
/// Only the daemon's own traps count, which leave a mark. A kill, or a stop of the machine, raises no suspicion.
package struct CrashContainment: Sendable, Equatable, Codable {
    package enum Standing: Sendable, Equatable {
        case free
        /// Begun only while no other suspect is under way.
        case alone(crashes: Int)
        /// Not begun until a person asks for it.
        case setAside(crashes: Int)
    }

    private struct Suspicion: Sendable, Equatable, Codable {
        var suspect: CrashSuspect
        var crashes: Int
        var last: Moment
        /// Whether the last crash named it; otherwise it was one of the transfers under way.
        var isNamed: Bool
        /// Whether a person restarted it after it was set aside: one more crash is then enough.
        var isReleased = false
        var isSetAside = false
        var step: DaemonWork.Step?
    }

    /// The latest crashes, oldest first.
    package private(set) var deaths: [DaemonDeath] = []
    private var suspicions: [Suspicion] = []
    /// The version that the suspicions are against.
    private var version: String?

    /// Crashes after which a suspect begins alone; after one more it is set aside.
    package static let crashesUntilAlone = 2
    /// Seconds within which crashes belong together if it is not known which of many suspects was at fault.
    package static let window = 600.0
    /// Seconds after which a crash that named its cause is forgotten.
    package static let memory = 2_592_000.0
    /// Seconds after which a new daemon tries an app or a journal once more.
    package static let patience = 86_400.0
    /// The most suspects set aside within the window without having been named by a crash: beyond that, the cause is
    /// elsewhere.
    package static let unnamedLimit = 3
    /// The number of crashes and suspects that are remembered.
    package static let deathLimit = 16
    package static let suspectLimit = 2048

    package init() {}

    /// Whether there is nothing to remember.
    package var isEmpty: Bool { deaths.isEmpty && suspicions.isEmpty }

    /// Whether nothing at all is suspected.
    package var isUnsuspecting: Bool { suspicions.isEmpty }

    package func standing(of suspect: CrashSuspect) -> Standing {
        guard let known = suspicions.first(where: { $0.suspect == suspect }) else { return .free }
        if known.isSetAside { return .setAside(crashes: known.crashes) }
        return known.crashes >= Self.crashesUntilAlone ? .alone(crashes: known.crashes) : .free
    }

    /// The notices for people: the crashes of the last week, and suspects set aside, except transfers, which show it
    /// themselves.
    package func notices(now: Moment) -> [String] {
        let recent = deaths.filter { now.seconds(since: $0.at) < 604_800 }.suffix(3)
        let others = setAside.filter { if case .transfer = $0.suspect { false } else { true } }
        return recent.map { "Please report this line: \($0.line)" }
            + others.map { suspect, crashes in
                "The daemon crashed \(crashes) times while handling \(suspect.name), which is set aside for a day."
            }
    }

    /// The suspects set aside, with the number of crashes and the step at the last one.
    package var setAside: [(suspect: CrashSuspect, crashes: Int)] {
        suspicions.filter(\.isSetAside).map { ($0.suspect, $0.crashes) }
    }

    /// The number of crashes during which the stored record was being read, if it must not be read again.
    package func crashesReading(_ suspect: CrashSuspect) -> Int? {
        suspicions.first { $0.suspect == suspect && $0.isSetAside && $0.step == .readingRecord }?.crashes
    }

    /// A daemon starts. Another version may have fixed the cause, so every suspect set aside gets one more try. Apps
    /// and journals, which no person would retry, get one try a day.
    package mutating func started(version: String, now: Moment) {
        let isOther = self.version.map { $0 != version } ?? false
        self.version = version
        for index in suspicions.indices where suspicions[index].isSetAside {
            let isTransfer = if case .transfer = suspicions[index].suspect { true } else { false }
            let isOld = now.seconds(since: suspicions[index].last) > Self.patience
            if isOther || isOld && !isTransfer { release(at: index) }
        }
    }

    /// The mark of a crash was found.
    package mutating func died(_ death: DaemonDeath) {
        // An earlier daemon was killed between keeping this and forgetting the mark.
        guard !deaths.contains(death) else { return }
        deaths.append(death)
        deaths.removeFirst(max(0, deaths.count - Self.deathLimit))
        suspicions.removeAll { !$0.isSetAside && death.at.seconds(since: $0.last) > Self.memory }
        if let work = death.work {
            if let suspect = work.suspect { blame(suspect, death, step: work.step) }
        } else {
            // The culprit among many is found by elimination: a transfer that began alone is suspected first.
            let all = death.underWay.map(CrashSuspect.transfer)
            let tried = all.filter { if case .alone = standing(of: $0) { true } else { false } }
            // If several should have begun alone, none of them did.
            for suspect in tried.count == 1 ? tried : all { blame(suspect, death, step: nil) }
        }
        let surplus = suspicions.count - Self.suspectLimit
        if surplus > 0 { suspicions.removeFirst(surplus) }
    }

    private mutating func blame(_ suspect: CrashSuspect, _ death: DaemonDeath, step: DaemonWork.Step?) {
        var known = Suspicion(suspect: suspect, crashes: 0, last: death.at, isNamed: step != nil)
        if let index = suspicions.firstIndex(where: { $0.suspect == suspect }) {
            let old = suspicions.remove(at: index)
            let isRecent = death.at.seconds(since: old.last) <= Self.window
            if isRecent || step != nil || old.isReleased { known = old }
        }
        known.crashes = min(known.crashes, Self.mostCrashes) + 1
        known.last = death.at
        known.isNamed = step != nil
        known.step = step
        let isEnough = known.isReleased || known.crashes > Self.crashesUntilAlone
        known.isSetAside = isEnough && (step != nil || unnamed(at: death.at) < Self.unnamedLimit)
        known.isReleased = false
        suspicions.append(known)
    }

    private static let mostCrashes = 1_000_000

    /// The number of suspects recently set aside without having been named.
    private func unnamed(at now: Moment) -> Int {
        suspicions.count { $0.isSetAside && !$0.isNamed && now.seconds(since: $0.last) <= Self.window }
    }

    /// The work has ended in some way, and the daemon survived it.
    ///
    /// - Parameters:
    ///   - suspect: the work.
    ///   - step: the step of the work; nil for all steps.
    /// - Returns: whether this changes anything.
    package mutating func survived(_ suspect: CrashSuspect, _ step: DaemonWork.Step? = nil) -> Bool {
        let index = suspicions.firstIndex { known in
            known.suspect == suspect && !known.isSetAside && (step == nil || known.step == nil || known.step == step)
        }
        guard let index else { return false }
        suspicions.remove(at: index)
        return true
    }

    /// A person wants a suspect that was set aside to be tried once more.
    ///
    /// - Returns: whether this changes anything.
    package mutating func release(_ suspect: CrashSuspect) -> Bool {
        guard let index = suspicions.firstIndex(where: { $0.suspect == suspect && $0.isSetAside }) else { return false }
        release(at: index)
        return true
    }

    private mutating func release(at index: Int) {
        suspicions[index].isSetAside = false
        suspicions[index].isReleased = true
    }

    /// The suspect no longer exists.
    ///
    /// - Returns: whether this changes anything.
    package mutating func forget(_ suspect: CrashSuspect) -> Bool {
        let before = suspicions.count
        suspicions.removeAll { $0.suspect == suspect }
        return suspicions.count != before
    }
}
