// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime
import OffstageSupervisor
import Testing

@Suite struct `When apps are looked at` {
    private typealias Chore = AppAgenda.Chore

    private static let process = ProcessIdentity(number: 100, startedAt: 1)

    private let agenda: AppAgenda

    init() throws { agenda = AppAgenda(loop: try EventLoop()) }

    private func observation(of app: String = "a", at due: Double) -> Chore {
        Chore(due: due, kind: .observe, app: app, process: Self.process)
    }

    @Test func `a rule is told the time once, when it wants to be`() {
        agenda.setLook(at: 5, of: "a")
        agenda.setLook(at: 7, of: "b")
        #expect(agenda.next == 5)
        #expect(agenda.takeDueLooks(at: 4.9) == [])
        #expect(agenda.takeDueLooks(at: 5) == ["a"])
        #expect(agenda.takeDueLooks(at: 6) == [])
        #expect(agenda.next == 7)
        agenda.setLook(at: nil, of: "b")
        #expect(agenda.next == nil)
    }

    @Test func `the last chore of a kind counts, and one of another kind stays`() {
        let wait = Chore(due: 3, kind: .behindTerminal(ShellWait(from: 0)), app: "a", process: Self.process)
        agenda.add(observation(at: 2))
        agenda.add(wait)
        agenda.add(observation(at: 4))
        agenda.add(observation(of: "b", at: 1))
        #expect(agenda.looksBehindTerminal("a"))
        #expect(!agenda.looksBehindTerminal("b"))
        #expect(agenda.takeDueChores(at: 4) == [wait, observation(at: 4), observation(of: "b", at: 1)])
        #expect(!agenda.looksBehindTerminal("a"))
    }

    @Test func `an app whose process is gone has nothing to be looked at, but for its rule`() {
        agenda.add(observation(at: 2))
        agenda.add(observation(of: "b", at: 3))
        agenda.setLook(at: 4, of: "a")
        agenda.removeChores(of: "a")
        #expect(agenda.next == 3)
        #expect(agenda.takeDueChores(at: 9) == [observation(of: "b", at: 3)])
        #expect(agenda.takeDueLooks(at: 9) == ["a"])
    }
}
