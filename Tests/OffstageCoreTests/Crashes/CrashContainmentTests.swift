// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct `What is begun after crashes of the daemon` {
    private var containment = CrashContainment()
    private let suspect = CrashSuspect.transfer(TransferID(rawValue: 7))

    private func death(_ seconds: Double, of work: DaemonWork?, underWay: [Int64] = []) -> DaemonDeath {
        DaemonDeath(
            at: Fixture.moment(seconds),
            version: "0.1.0",
            signal: 4,
            thread: "engine",
            place: "offstaged+0x1a2b",
            work: work,
            underWay: underWay.map(TransferID.init(rawValue:))
        )
    }

    private let attempt = DaemonWork(.transfer, .attempt, name: "7")

    @Test mutating func `a transfer is begun as usual, then alone, then set aside`() {
        containment.died(death(0, of: attempt))
        #expect(containment.standing(of: suspect) == .free)
        containment.died(death(1, of: attempt))
        #expect(containment.standing(of: suspect) == .alone(crashes: 2))
        containment.died(death(2, of: attempt))
        #expect(containment.standing(of: suspect) == .setAside(crashes: 3))
        #expect(containment.standing(of: .transfer(TransferID(rawValue: 8))) == .free)
        // Neither the end of a transfer nor time changes that.
        let changed1 = containment.survived(suspect)
        #expect(!changed1)
        containment.started(version: "0.1.0", now: Fixture.moment(1e7))
        #expect(containment.standing(of: suspect) == .setAside(crashes: 3))
    }

    @Test mutating func `crashes that name their cause blame nobody who was only under way`() {
        for second in 0..<9 { containment.died(death(Double(second), of: attempt, underWay: [1, 2, 7])) }
        #expect(containment.standing(of: .transfer(TransferID(rawValue: 1))) == .free)
        for second in 10..<19 {
            let request = DaemonWork(.request, .answering, name: "list")
            containment.died(death(Double(second), of: request, underWay: [1, 2]))
        }
        #expect(containment.standing(of: .transfer(TransferID(rawValue: 1))) == .free)
    }

    @Test mutating func `an end of any kind clears a suspect, one step of it only that step`() {
        containment.died(death(0, of: attempt))
        containment.died(death(1, of: attempt))
        let changed2 = containment.survived(suspect)
        #expect(changed2)
        #expect(containment.standing(of: suspect) == .free)
        let app = CrashSuspect.app("org.example.app")
        let launch = DaemonWork(.app, .launching, name: "org.example.app")
        containment.died(death(2, of: launch))
        containment.died(death(3, of: launch))
        let changed3 = containment.survived(app, .leadingOn)
        #expect(!changed3)
        #expect(containment.standing(of: app) == .alone(crashes: 2))
        let changed4 = containment.survived(app, .launching)
        #expect(changed4)
    }

    @Test mutating func `one crash more is enough for what a person has begun again`() {
        for second in 0..<3 { containment.died(death(Double(second), of: attempt)) }
        let changed5 = containment.release(suspect)
        #expect(changed5)
        #expect(containment.standing(of: suspect) == .alone(crashes: 3))
        containment.died(death(100_000, of: attempt))
        #expect(containment.standing(of: suspect) == .setAside(crashes: 4))
    }

    @Test mutating func `another version tries everything once more, and apps are tried each day`() {
        let app = CrashSuspect.app("org.example.app")
        containment.started(version: "0.1.0", now: Fixture.moment(0))
        for second in 0..<3 {
            containment.died(death(Double(second), of: attempt))
            containment.died(death(Double(second) + 0.5, of: DaemonWork(.app, .launching, name: "org.example.app")))
        }
        containment.started(version: "0.1.0", now: Fixture.moment(100_000))
        #expect(containment.standing(of: app) == .alone(crashes: 3))
        #expect(containment.standing(of: suspect) == .setAside(crashes: 3))
        containment.started(version: "0.2.0", now: Fixture.moment(100_000))
        #expect(containment.standing(of: suspect) == .alone(crashes: 3))
    }

    @Test mutating func `without a name the one that was begun alone is blamed, else all that were under way`() {
        let all = Array(Int64(1)...64)
        containment.died(death(0, of: nil, underWay: all))
        containment.died(death(5, of: nil, underWay: all + [65]))
        #expect(containment.standing(of: suspect) == .alone(crashes: 2))
        #expect(containment.standing(of: .transfer(TransferID(rawValue: 65))) == .free)
        // Number 7 is being tried; the transfers running beside it are new.
        containment.died(death(9, of: nil, underWay: [7, 66, 67]))
        #expect(containment.standing(of: suspect) == .setAside(crashes: 3))
        #expect(containment.standing(of: .transfer(TransferID(rawValue: 66))) == .free)
    }

    @Test mutating func `crashes far apart that name nobody are not the same one`() {
        containment.died(death(0, of: nil, underWay: [7]))
        containment.died(death(700, of: nil, underWay: [7]))
        containment.died(death(1400, of: nil, underWay: [7]))
        #expect(containment.standing(of: suspect) == .free)
    }

    @Test mutating func `when setting aside does not help, no more is set aside that no crash has named`() {
        for id in Int64(1)...20 {
            for _ in 0..<3 { containment.died(death(Double(id) + Double.random(in: 0..<0.5), of: nil, underWay: [id])) }
        }
        #expect(containment.setAside.count == CrashContainment.unnamedLimit)
    }

    @Test mutating func `a crash that is found noted twice counts once, and little is remembered`() {
        for _ in 0..<9 { containment.died(death(0, of: attempt)) }
        #expect(containment.standing(of: suspect) == .free)
        for id in 0..<5000 { containment.died(death(Double(id), of: DaemonWork(.transfer, .attempt, name: "\(id)"))) }
        #expect(containment.deaths.count == CrashContainment.deathLimit)
        #expect(containment.standing(of: suspect) == .free)
    }

    @Test mutating func `it is the same after it was written and read`() throws {
        for second in 0..<3 { containment.died(death(Double(second), of: attempt, underWay: [1])) }
        containment.died(death(3, of: DaemonWork(.journal, .takingIn, name: "00ff.journal")))
        let bytes = try JSONEncoder().encode(containment)
        #expect(try JSONDecoder().decode(CrashContainment.self, from: bytes) == containment)
    }

    @Test func `a crash is one line without a URL, whatever the file said`() {
        var death = death(0, of: attempt)
        #expect(
            death.line
                == "offstaged 0.1.0 crashed on 2027-01-15T08:00:00Z: SIGILL in the thread 'engine' at offstaged+0x1a2b, carrying out an attempt of transfer 7."
        )
        death.work = nil
        death.underWay = [TransferID(rawValue: 1)]
        death.at.wall = Date(timeIntervalSinceReferenceDate: 1e300)
        death.thread = ""
        death.signal = .min
        #expect(death.line.contains("nothing that is known, with 1 transfer under way"))
    }

    @Test func `a transfer is set aside in every state that goes on by itself, and a person begins it again`() throws {
        var transfer = Transfer(id: TransferID(rawValue: 7), spec: try Fixture.download(), now: Fixture.moment(0))
        let result6 = transfer.setAside(crashes: 3, now: Fixture.moment(1))
        #expect(result6 == [.dequeue])
        #expect(transfer.state.kind == .waiting)
        let result7 = transfer.restored(now: Fixture.moment(2))
        #expect(result7.contains(.enqueue) == false)
        let result8 = transfer.resume(now: Fixture.moment(2))
        #expect(result8 == nil)
        let result9 = transfer.retry(now: Fixture.moment(2))
        #expect(result9?.first == .enqueue)
        let result10 = transfer.started(now: Fixture.moment(3), offset: 0)
        #expect(result10 == [.begin(attempt: 1)])
        let result11 = transfer.setAside(crashes: 4, now: Fixture.moment(4))
        #expect(result11 == [.dequeue])
        #expect(transfer.history.count == 1)
        let ends = transfer.cancel(now: Fixture.moment(5)) ?? []
        #expect(ends.contains(.deliver(.cancelled)))
        let result12 = transfer.setAside(crashes: 5, now: Fixture.moment(6))
        #expect(result12.isEmpty)
    }

    @Test func `what stands for an unreadable record is changed by nothing but its end`() throws {
        var transfer = Transfer(id: TransferID(rawValue: 7), spec: try Fixture.download(), now: Fixture.moment(0))
        transfer.state = .waiting(.init(cause: .unreadable(crashes: 0), since: Fixture.start))
        let now = Fixture.moment(1)
        let result13 = transfer.retry(now: now)
        #expect(result13 == nil)
        let result14 = transfer.pause(reached: 0, now: now)
        #expect(result14 == nil)
        let result15 = transfer.resume(now: now)
        #expect(result15 == nil)
        let result16 = transfer.setHeaders([], now: now)
        #expect(result16 == nil)
        let result17 = transfer.setAside(crashes: 3, now: now)
        #expect(result17.isEmpty)
        #expect(transfer.isUnreadable)
        let result18 = transfer.cancel(now: now)
        #expect(result18 != nil)
    }
}
