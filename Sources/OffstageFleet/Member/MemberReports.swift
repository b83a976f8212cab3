// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// The member's pending reports to the database, combined into one question for many rows. While one question is under
/// way, new reports collect for the next.
///
/// Belongs to the loop's thread.
final class MemberReports {
    /// A memory to keep, for a request that waits for it.
    struct Keep {
        var grant: FleetGrant
        var transfer: TransferID
        var memory: [UInt8]?
        var done: Int64
    }

    enum Kind: CaseIterable {
        case begin, keep, finish, giveBack
    }

    /// The most rows in one question.
    static let most = 500
    /// The most bytes of memories in one question.
    private static let mostBytes = 4 << 20

    /// Receives each answer. Returns false if the answer is no longer for this member.
    typealias Hearing = (MemberIdentity, Result<[FleetRecord], DatabaseError>) -> Bool

    let database: MemberDatabase
    let hear: Hearing
    private(set) var begins: Set<FleetGrant> = []
    /// Memories to keep, by the daemon's numbers.
    private(set) var keeps: [Int: Keep] = [:]
    private(set) var ends: [FleetGrant: FleetEnd] = [:]
    private(set) var returns: [FleetGrant: FleetRow.Return] = [:]
    /// The kinds of the questions under way.
    private var busy: Set<Kind> = []
    /// The reduced number of rows in the next question of a kind, after the database refused one with more.
    private var smaller: [Kind: Int] = [:]
    /// When to send reports again, after the database could not store one, in seconds on the boot-time clock.
    private(set) var pausedUntil: Double?
    /// The length of this pause, in seconds.
    private static let pause = 2.0

    init(_ database: MemberDatabase, hear: @escaping Hearing) {
        self.database = database
        self.hear = hear
    }

    var isEmpty: Bool { begins.isEmpty && keeps.isEmpty && ends.isEmpty && returns.isEmpty }

    func begin(_ grant: FleetGrant) { begins.insert(grant) }
    func keep(_ number: Int, _ keep: Keep) { keeps[number] = keep }
    func finish(_ grant: FleetGrant, _ end: FleetEnd) { ends[grant] = end }
    func giveBack(_ grant: FleetGrant, _ back: FleetRow.Return) { returns[grant] = back }

    /// Discards the reports of a row.
    func forget(_ grant: FleetGrant) {
        begins.remove(grant)
        ends[grant] = nil
        returns[grant] = nil
    }

    /// Discards the memories, which no request waits for once the daemon is gone.
    func forgetKeeps() { keeps = [:] }

    /// Removes a memory that was kept or refused.
    func removeKeep(_ number: Int) -> Keep? { keeps.removeValue(forKey: number) }

    /// Records that a question is under way, or was answered.
    func setBusy(_ kind: Kind, _ isBusy: Bool) {
        if isBusy { busy.insert(kind) } else { busy.remove(kind) }
    }

    func nothingIsBusy() { (busy, pausedUntil) = ([], nil) }

    /// Pauses, as the database cannot store a report at present.
    func wait(_ now: Double) { pausedUntil = now + Self.pause }  // checked: floating point

    func goOn() { pausedUntil = nil }

    /// Handles an accepted question.
    func taken(_ kind: Kind) {
        guard let size = smaller[kind] else { return }
        let next = size.addingClamped(size)
        smaller[kind] = next < Self.most ? next : nil
    }

    /// Handles a question that was refused because of its contents.
    ///
    /// - Returns: whether to retry with fewer rows; if not, its only row is invalid.
    func refused(_ kind: Kind, rows: Int) -> Bool {
        smaller[kind] = max(1, rows / 2)
        return rows > 1
    }

    /// The rows of a kind's next question; nil if there are none, or if one is under way. They stay until answered.
    func nextBegins() -> [FleetGrant]? { busy.contains(.begin) ? nil : some(begins.sorted(), .begin) }
    func nextEnds() -> [(FleetGrant, FleetEnd)]? {
        busy.contains(.finish) ? nil : some(ends.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, .finish)
    }
    func nextReturns() -> [(FleetGrant, FleetRow.Return)]? {
        guard !busy.contains(.giveBack) else { return nil }
        return some(returns.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, .giveBack)
    }
    func nextKeeps() -> [(Int, Keep)]? {
        guard !busy.contains(.keep) else { return nil }
        var bytes = 0
        var rows: Set<Int64> = []
        var next: [(Int, Keep)] = []
        for (number, keep) in keeps.sorted(by: { $0.key < $1.key }) {
            bytes = bytes.addingClamped(keep.memory?.count ?? 0)
            guard next.isEmpty || bytes <= Self.mostBytes, next.count < smaller[.keep, default: Self.most] else {
                break
            }
            // A row occurs only once in a question.
            if rows.insert(keep.grant.row).inserted { next.append((number, keep)) }
        }
        return next.isEmpty ? nil : next
    }

    /// Gives back a row whose report the database does not accept.
    static func unspeakable(_ grant: FleetGrant) -> FleetRow.Return {
        .init(after: FleetRow.delay(after: grant.fence), note: "the database did not take what its member reported")
    }

    private func some<Element>(_ all: [Element], _ kind: Kind) -> [Element]? {
        all.isEmpty ? nil : Array(all.prefix(smaller[kind, default: Self.most]))
    }
}
