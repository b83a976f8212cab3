// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageCore
import OffstageTestSupport
import Testing

/// Between the app's life and its handlers: what is reported to the daemon about a task, however often it asks.
@Suite struct DeferredWorkPortTests {
    /// A process's reports, and a port that sends them.
    private final class Reported: Sendable {
        let port = DeferredWorkPort()
        private let reports = Monitor<[StageReport]>([])

        init() {
            port.enterStage(
                report: { [reports] report in reports.withLock { $0.append(report) } },
                flush: {},
                onMain: { $0() }
            )
        }

        var all: [StageReport] { reports.withLock { $0 } }

        func take() -> [StageReport] {
            reports.withLock { reports in
                defer { reports = [] }
                return reports
            }
        }
    }

    /// Handlers that record their requests, and call nothing on their own.
    private final class Noted: DeferredWorkHandler {
        let asked = Monitor<[String]>([])
        /// The turns in which tasks were started, the last one for each number.
        let turns = Monitor<[UInt64: UInt64]>([:])
        private let known: Set<String>

        init(_ known: String...) { self.known = Set(known) }

        func start(_ launch: TaskLaunch, turn: UInt64) -> Bool {
            turns.withLock { $0[launch.number] = turn }
            asked.withLock { $0.append("start \(launch.number)") }
            return known.contains(launch.identifier)
        }

        func startAgain(_ number: UInt64) { asked.withLock { $0.append("again \(number)") } }
        func expire(_ number: UInt64, _ expiry: TaskExpiry) { asked.withLock { $0.append("expire \(number)") } }
        func leaveOut(_ number: UInt64) { asked.withLock { $0.append("leave out \(number)") } }
        func turn(_ number: UInt64) -> UInt64 { turns.withLock { $0[number] ?? 0 } }
    }

    private func launch(_ number: UInt64, _ identifier: String = "refresh") -> TaskLaunch {
        TaskLaunch(number: number, identifier: identifier, kind: .refresh, seconds: 30)
    }

    @Test func `a task is entered and completed once, and each is said again when the daemon asks again`() {
        let (reported, handler) = (Reported(), Noted("refresh"))
        let port = reported.port
        port.addHandler(handler)
        port.start(launch(7))
        #expect(reported.all.isEmpty, "Its turn has not come.")
        port.start(launch(7))
        #expect(reported.all.isEmpty)
        #expect(port.enter(7, turn: handler.turn(7)))
        port.start(launch(7))
        #expect(reported.take() == [.taskEntered(7), .taskEntered(7)])
        port.complete(7, success: true)
        port.complete(7, success: false)
        port.start(launch(7))
        port.expire(7, .timeOver)
        let completed = StageReport.taskCompleted(TaskCompletion(number: 7, success: true))
        #expect(reported.take() == [completed, completed, completed])
        #expect(handler.asked.withLock { $0 } == ["start 7", "again 7", "again 7"])
    }

    @Test func `a task that nobody has a handler for is unclaimed, with handlers and without`() {
        let reported = Reported()
        reported.port.start(launch(1))
        reported.port.addHandler(Noted("refresh"))
        reported.port.start(launch(2, "other"))
        #expect(reported.all == [.taskUnclaimed(1), .taskUnclaimed(2)])
        #expect(reported.port.view.running.isEmpty)
    }

    @Test func `a task that is to end before its turn comes is left out, and may be started anew`() {
        let (reported, handler) = (Reported(), Noted("refresh"))
        let port = reported.port
        port.addHandler(handler)
        port.start(launch(3))
        let first = handler.turn(3)
        #expect(port.expire(3, .timeOver))
        #expect(reported.take() == [.taskLeftOut(3)])
        #expect(port.view.running.isEmpty && port.view.completed.isEmpty)
        #expect(!port.expire(3, .timeOver), "It is not known any more.")
        port.start(launch(3))
        let isEnteredLate = port.enter(3, turn: first)
        #expect(!isEnteredLate, "The call that waited all the time is not this turn's.")
        #expect(port.enter(3, turn: handler.turn(3)))
        let isEnteredTwice = port.enter(3, turn: handler.turn(3))
        #expect(!isEnteredTwice)
        #expect(port.expire(3, .machineBusy))
        #expect(reported.all == [.taskEntered(3)])
        #expect(handler.asked.withLock { $0 } == ["start 3", "leave out 3", "start 3", "expire 3"])
    }

    @Test func `a connection begins with the tasks that run and the last that were completed`() {
        let (reported, handler) = (Reported(), Noted("refresh"))
        let port = reported.port
        port.addHandler(handler)
        for number in 1...200 as ClosedRange<UInt64> {
            port.start(launch(number))
            _ = port.enter(number, turn: handler.turn(number))
            port.complete(number, success: number.isMultiple(of: 2))
        }
        port.start(launch(201))
        port.start(launch(202))
        _ = port.enter(202, turn: handler.turn(202))
        let view = port.view
        #expect(view.running == [201: false, 202: true])
        #expect(view.completed.map(\.number) == Array(101...200))
        #expect(view.completed.last == TaskCompletion(number: 200, success: true))
    }

    @Test func `a program is off stage, launching, and then launched`() {
        let port = DeferredWorkPort()
        #expect(port.standing == .offStage)
        port.enterStage(report: { _ in }, flush: {}, onMain: { $0() })
        #expect(port.standing == .launching)
        port.launchIsOver()
        #expect(port.standing == .launched)
    }
}
