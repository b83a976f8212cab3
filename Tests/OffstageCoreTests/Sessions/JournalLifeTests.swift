// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// A hand-over journal with its client, its file and the store, in every order of events.
private struct JournalWorld: Hashable {
    /// So long that emptying the file is worthwhile after two records.
    static let recordLength: Int64 = 40_000

    var life = JournalLife()
    /// The action whose outcome is pending.
    var underWay: JournalLife.Action?
    /// The numbers of the records in the file.
    var file: [UInt64] = []
    var appended: UInt64 = 0
    var isSealed = false
    var isConnected = true
    /// The records that the store has imported, in order.
    var imported: [UInt64] = []
    /// The journal's sequence in the store.
    var stored: UInt64 = 0
    /// Whether there is a record that the client has not rung for.
    var mustRing = false

    var size: Int64 { Int64(file.count) * Self.recordLength }

    enum Event: CaseIterable { case append, ring, hangUp, crash, little, much, refuse }

    /// Applies one event. Returns false if it cannot happen now.
    mutating func apply(_ event: Event) -> Bool {
        switch event {
        case .append:
            guard isConnected, !isSealed, appended < 3 else { return false }
            appended += 1
            file.append(appended)
            mustRing = true
        case .ring:
            guard isConnected else { return false }
            mustRing = false
            take(life.rung())
        case .hangUp:
            guard isConnected else { return false }
            isConnected = false
            take(life.connectionEnded())
        case .crash:
            // The action under way no longer has an outcome; to the new daemon, the client is gone.
            guard life.stage != .deleted else { return false }
            isConnected = false
            underWay = nil
            life = JournalLife(sequence: stored, isOpen: false)
            take(life.connectionEnded())
        case .little, .much, .refuse:
            guard let action = underWay else { return false }
            underWay = nil
            return finish(action, event)
        }
        return true
    }

    private mutating func take(_ action: JournalLife.Action?) {
        guard let action else { return }
        #expect(underWay == nil, "one thing at a time")
        underWay = action
    }

    private mutating func finish(_ action: JournalLife.Action, _ event: Event) -> Bool {
        switch action {
        case .read(let offset):
            guard event != .refuse else { return false }
            let rest = file.dropFirst(Int(offset / Self.recordLength))
            guard !rest.isEmpty else {
                take(life.foundNothing())
                return true
            }
            let chunk = event == .little ? rest.prefix(1) : rest
            let fresh = chunk.filter { $0 > life.sequence }
            imported += fresh
            stored = max(stored, fresh.last ?? 0)
            take(
                life.imported(
                    through: chunk.last ?? 0,
                    endingAt: offset + Int64(chunk.count) * Self.recordLength
                )
            )
        case .empty(let wanted):
            guard event != .little else { return false }
            let isEmptied = event == .much && wanted == size
            if isEmptied {
                #expect(file.allSatisfy { imported.contains($0) }, "only what is in the store may go")
                file = []
            }
            take(life.emptied(isEmptied))
        case .seal:
            guard event == .much else { return false }
            isSealed = true
            take(life.sealed())
        case .delete:
            guard event == .much else { return false }
            #expect(isSealed)
            #expect(file.allSatisfy { imported.contains($0) }, "only what is in the store may go")
            file = []
            life.deleted()
        }
        return true
    }

    /// Lets everything under way finish.
    mutating func comeToRest() {
        for _ in 0..<40 where underWay != nil { _ = apply(.much) }
        #expect(underWay == nil)
    }
}

@Suite struct JournalLifeTests {
    /// Every world that can be reached within so many events.
    private func worlds(events: Int) -> Set<JournalWorld> {
        var seen: Set<JournalWorld> = [JournalWorld()]
        var newest = seen
        for _ in 0..<events {
            var next: Set<JournalWorld> = []
            for world in newest {
                for event in JournalWorld.Event.allCases {
                    var after = world
                    if after.apply(event), seen.insert(after).inserted { next.insert(after) }
                }
            }
            newest = next
        }
        return seen
    }

    @Test func `everything handed over is taken in exactly once, whatever happens in which order`() {
        let worlds = worlds(events: 30)
        #expect(worlds.count > 300)
        for var world in worlds {
            if world.isConnected {
                // A client with a record to announce rings, and need not hang up for it.
                if world.mustRing { _ = world.apply(.ring) }
                world.comeToRest()
                #expect(world.imported == Array(1...3).prefix(Int(world.appended)).map(UInt64.init))
                _ = world.apply(.hangUp)
            }
            world.comeToRest()
            #expect(world.life.stage == .deleted)
            #expect(world.imported == Array(1...3).prefix(Int(world.appended)).map(UInt64.init))
        }
    }

    @Test func `a long journal is emptied when its end is reached, a short one is left`() {
        var life = JournalLife()
        #expect(life.rung() == .read(from: 0))
        #expect(life.imported(through: 1, endingAt: 100) == .read(from: 100))
        #expect(life.foundNothing() == nil)
        #expect(life.rung() == .read(from: 100))
        #expect(life.imported(through: 2, endingAt: 100_000) == .read(from: 100_000))
        #expect(life.foundNothing() == .empty(ifSize: 100_000))
        #expect(life.emptied(true) == nil)
        #expect(life.rung() == .read(from: 0))
    }

    @Test func `a ring while it is read is not forgotten`() {
        var life = JournalLife()
        #expect(life.rung() == .read(from: 0))
        #expect(life.rung() == nil)
        #expect(life.foundNothing() == .read(from: 0))
        #expect(life.foundNothing() == nil)
    }

    @Test func `what was left is sealed before it is read`() {
        var life = JournalLife(sequence: 7, isOpen: false)
        #expect(life.sequence == 7)
        #expect(life.connectionEnded() == .seal)
        #expect(life.rung() == nil)
        #expect(life.sealed() == .read(from: 0))
        #expect(life.foundNothing() == .delete)
    }
}
