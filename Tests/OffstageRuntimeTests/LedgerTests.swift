// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageRuntime
import OffstageTestSupport
import Testing

/// Rule 2, "write before you tell", in the one place that implements it.
@Suite struct LedgerTests {
    @Test func `what one turn of the loop records shares a commit, in order`() throws {
        let stage = try Stage()
        stage.run { ledger in
            for number in 1...3 { ledger.record(number) }
            stage.post { ledger in
                ledger.record(4)
                stage.stopAtRest()
            }
        }
        #expect(stage.commits == [[1, 2, 3], [4]])
    }

    @Test func `what is recorded during a commit waits for the next`() throws {
        let stage = try Stage()
        stage.duringCommit { ledger, count in if count == 1 { for number in [2, 3] { ledger.record(number) } } }
        stage.run { ledger in
            ledger.record(1)
            stage.stopAtRest()
        }
        #expect(stage.commits == [[1], [2, 3]])
    }

    @Test func `nothing follows before it is durable, and then in order`() throws {
        let stage = try Stage()
        stage.run { ledger in
            ledger.record(1)
            ledger.follow { stage.note("first \($0) after \(stage.commits.count)") }
            ledger.follow { stage.note("second \($0) after \(stage.commits.count)") }
            stage.note("asked for")
            stage.stopAtRest()
        }
        #expect(stage.notes == ["asked for", "first true after 1", "second true after 1"])
    }

    @Test func `a commit's number says when it is durable`() throws {
        let stage = try Stage()
        stage.run { ledger in
            let number = ledger.record(1)
            stage.note("collecting \(ledger.isCollecting(number)), durable \(ledger.isDurable(number))")
            ledger.follow { _ in
                stage.note("collecting \(ledger.isCollecting(number)), durable \(ledger.isDurable(number))")
            }
            stage.stopAtRest()
        }
        #expect(stage.notes == ["collecting true, durable false", "collecting false, durable true"])
    }

    @Test func `a store in trouble is tried again until it works, and the latest is written`() throws {
        let stage = try Stage()
        let value = Monitor(1)
        stage.fail([.full(path: "/s"), .full(path: "/s"), .locked(path: "/s")])
        stage.duringCommit { _, _ in value.withLock { $0 += 1 } }
        stage.run { ledger in
            ledger.recordLatest { value.withLock { $0 } }
            ledger.record(100)
            ledger.follow { stage.note("follows \($0), trouble \(stage.trouble.standing == nil)") }
            stage.stopAtRest()
        }
        // Three failed tries came before.
        #expect(stage.commits == [[4, 100]])
        #expect(stage.notes == ["follows true, trouble true"])
        // Each trouble is logged once, and so is its end.
        let reasons = stage.logged.map { $0["reason"] }
        #expect(reasons == [StoreError.full(path: "/s").sentence, StoreError.locked(path: "/s").sentence, nil])
        #expect(stage.logged.map(\.level) == [.error, .error, .notice])
    }

    @Test func `what is gone when it is written is left out`() throws {
        let stage = try Stage()
        stage.run { ledger in
            ledger.recordLatest { nil }
            ledger.follow { stage.note("follows \($0)") }
            stage.stopAtRest()
        }
        #expect(stage.commits == [])
        #expect(stage.notes == ["follows true"])
    }

    @Test func `a change that the store refuses holds up nothing behind it`() throws {
        let stage = try Stage()
        stage.refuse(2)
        stage.run { ledger in
            for number in 1...3 { ledger.record(number) }
            ledger.follow { stage.note("follows \($0)") }
            stage.stopAtRest()
        }
        #expect(stage.commits == [[1], [3]])
        #expect(stage.notes == ["follows true"])
        // The daemon itself decided on the change.
        #expect(stage.logged.map(\.level) == [.fault])
    }

    @Test func `a daemon that stops gives up what cannot be written, and says so`() throws {
        let stage = try Stage()
        stage.fail(Array(repeating: .full(path: "/s"), count: 100))
        stage.run { ledger in
            let number = ledger.record(1)
            ledger.follow { stage.note("follows \($0), durable \(ledger.isDurable(number))") }
            stage.shutDown()
        }
        #expect(stage.commits == [])
        #expect(stage.notes == ["follows false, durable false"])
    }

    @Test func `who follows what was given up is told so, even behind a commit of its own`() throws {
        let stage = try Stage()
        stage.fail(Array(repeating: .full(path: "/s"), count: 100))
        stage.duringCommit { ledger, tries in
            guard tries == 1 else { return }
            ledger.follow { stage.note("follows \($0)") }
            stage.shutDown()
        }
        stage.run { ledger in ledger.record(1) }
        #expect(stage.commits == [])
        #expect(stage.notes == ["follows false"])
    }
}

/// A loop, a ledger of numbers and a store that fails as scripted. Time jumps ahead whenever a task sleeps.
private final class Stage: Sendable {
    private struct Script {
        var failures: [StoreError] = []
        var refused: Int?
        var commits: [[Int]] = []
        var tries = 0
        var duringCommit: @Sendable (Ledger<Int>, _ tries: Int) -> Void = { _, _ in }
    }

    private let loop: EventLoop
    let trouble: StoreTrouble
    private let script: Monitor<Script>
    private let noted = Monitor<[String]>([])
    private let records: Monitor<[LogRecord]>
    private let ledger = Monitor<Ledger<Int>?>(nil)

    init() throws {
        let (loop, script, records) = (try EventLoop(), Monitor(Script()), Monitor<[LogRecord]>([]))
        let clock = SystemClock(lead: loop.lead)
        let log = Log { record in records.withLock { $0.append(record) } }
        let trouble = StoreTrouble(loop: loop, now: { clock.now() }, log: log)
        (self.loop, self.script, self.records, self.trouble) = (loop, script, records, trouble)
        let known = ledger
        let made = Ledger<Int>(loop: loop, trouble: trouble) { changes throws(StoreError) in
            let (tries, during) = script.withLock { script in
                script.tries += 1
                return (script.tries, script.duringCommit)
            }
            if let ledger = known.withLock({ $0 }) { during(ledger, tries) }
            let error: StoreError? = script.withLock { script in
                if !script.failures.isEmpty { return script.failures.removeFirst() }
                if let refused = script.refused, changes.contains(refused) {
                    return .refused(path: "/s", detail: "it contradicts")
                }
                script.commits.append(changes)
                return nil
            }
            if let error { throw error }
        }
        ledger.withLock { $0 = made }
    }

    /// Runs the loop, with `body` first, until it is stopped.
    func run(_ body: @escaping @Sendable (Ledger<Int>) -> Void) {
        let loop = loop
        // A task that sleeps until the next try is woken at once.
        loop.onTurn {
            if let seconds = loop.nextAlarm() { loop.advance(by: seconds) }
            return false
        }
        post(body)
        loop.run()
    }

    func post(_ body: @escaping @Sendable (Ledger<Int>) -> Void) {
        guard let ledger = ledger.withLock({ $0 }) else { return }
        loop.post { body(ledger) }
    }

    /// Stops the loop when no changes are on their way into the store any more.
    func stopAtRest() {
        let loop = loop
        ledger.withLock { $0 }?.onRest { loop.stop() }
    }

    /// Shuts the ledger down, and then stops the loop.
    func shutDown() {
        guard let ledger = ledger.withLock({ $0 }) else { return }
        let loop = loop
        loop.startTask {
            await ledger.shutDown()
            loop.stop()
        }
    }

    func fail(_ errors: [StoreError]) { script.withLock { $0.failures = errors } }
    func refuse(_ change: Int) { script.withLock { $0.refused = change } }
    func duringCommit(_ body: @escaping @Sendable (Ledger<Int>, _ tries: Int) -> Void) {
        script.withLock { $0.duringCommit = body }
    }
    func note(_ text: String) { noted.withLock { $0.append(text) } }

    var commits: [[Int]] { script.withLock { $0.commits } }
    var notes: [String] { noted.withLock { $0 } }
    var logged: [LogRecord] { records.withLock { $0 } }
}
