// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// What the member has to tell the database, of many rows in one question each: while one question is on its way, what comes up
/// collects for the next.
///
/// Belongs to the loop's thread.
final class MemberReports {
    /// A memory to be kept, for a request that waits for it.
    struct Keep {
        var grant: FleetGrant
        var transfer: TransferID
        var memory: [UInt8]?
        var done: Int64
    }

    enum Kind: CaseIterable {
        case begin, keep, finish, giveBack
    }

    /// Rows in one question.
    static let most = 500
    /// Bytes of memories in one question.
    private static let mostBytes = 4 << 20

    /// Is told of each answer; false if it is no longer this member's.
    typealias Hearing = (MemberIdentity, Result<[FleetRecord], DatabaseError>) -> Bool

    let database: MemberDatabase
    let hear: Hearing
    private(set) var begins: Set<FleetGrant> = []
    /// By the daemon's numbers.
    private(set) var keeps: [Int: Keep] = [:]
    private(set) var ends: [FleetGrant: FleetEnd] = [:]
    private(set) var returns: [FleetGrant: FleetRow.Return] = [:]
    /// Questions on their way.
    private var busy: Set<Kind> = []
    /// Rows in the next question of a kind, where the database has refused one with more.
    private var smaller: [Kind: Int] = [:]
    /// When the database is told again that could not take it, in seconds on the boot-time clock.
    private(set) var pausedUntil: Double?
    /// Seconds until then.
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

    /// Nothing is to be told of a row any more.
    func forget(_ grant: FleetGrant) {
        begins.remove(grant)
        ends[grant] = nil
        returns[grant] = nil
    }

    /// Memories that nobody waits for any more, as the daemon has gone.
    func forgetKeeps() { keeps = [:] }

    /// A memory is kept, or not.
    func removeKeep(_ number: Int) -> Keep? { keeps.removeValue(forKey: number) }

    /// The question is on its way, or has been answered.
    func setBusy(_ kind: Kind, _ isBusy: Bool) {
        if isBusy { busy.insert(kind) } else { busy.remove(kind) }
    }

    func nothingIsBusy() { (busy, pausedUntil) = ([], nil) }

    /// The database cannot take a report at present.
    func wait(_ now: Double) { pausedUntil = now + Self.pause }  // checked: floating point

    func goOn() { pausedUntil = nil }

    /// A question was taken.
    func taken(_ kind: Kind) {
        guard let size = smaller[kind] else { return }
        let next = size.addingClamped(size)
        smaller[kind] = next < Self.most ? next : nil
    }

    /// A question was refused for what is in it.
    ///
    /// - Returns: whether it is asked again with fewer rows; if not, it is the one row that makes no sense.
    func refused(_ kind: Kind, rows: Int) -> Bool {
        smaller[kind] = max(1, rows / 2)
        return rows > 1
    }

    /// The rows of the next question of a kind; nil if there are none, or if one is on its way. They stay until they are answered.
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
            // One row is in a question once.
            if rows.insert(keep.grant.row).inserted { next.append((number, keep)) }
        }
        return next.isEmpty ? nil : next
    }

    /// A row of which the database takes no report.
    static func unspeakable(_ grant: FleetGrant) -> FleetRow.Return {
        .init(after: FleetRow.delay(after: grant.fence), note: "the database did not take what its member reported")
    }

    private func some<Element>(_ all: [Element], _ kind: Kind) -> [Element]? {
        all.isEmpty ? nil : Array(all.prefix(smaller[kind, default: Self.most]))
    }
}
