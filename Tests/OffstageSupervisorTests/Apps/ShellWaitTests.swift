// SPDX-License-Identifier: Apache-2.0
import OffstageSupervisor
import Testing

@Suite struct `Waiting for a shell to take its terminal` {
    private let wait = ShellWait(from: 100)

    @Test func `an app goes on once it has stopped itself and its shell has the terminal`() {
        #expect(wait.step(isStopped: true, isInFront: false, at: 100) == .resume)
    }

    @Test(arguments: [(true, true), (false, true), (false, false)])
    func `before that it is looked at again`(isStopped: Bool, isInFront: Bool) throws {
        guard case .lookAgain(let seconds, let next) = wait.step(isStopped: isStopped, isInFront: isInFront, at: 100)
        else { return #expect(Bool(false), "It is not looked at again.") }
        #expect(seconds == 0.001)
        #expect(next.pause == 0.002)
    }

    @Test func `it is looked at less and less often, but for 20 times a second`() {
        var (wait, pauses) = (wait, [Double]())
        for _ in 0..<8 {
            let step = wait.step(isStopped: true, isInFront: true, at: 101)
            guard case .lookAgain(let seconds, let next) = step else { break }
            pauses.append(seconds)
            wait = next
        }
        #expect(pauses == [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.05, 0.05])
    }

    @Test func `a shell that does no jobs holds nobody up for ever`() {
        let end = 100 + ShellWait.patience
        #expect(wait.step(isStopped: true, isInFront: true, at: end) == .resume)
        #expect(wait.step(isStopped: false, isInFront: true, at: end) == .giveUp)
    }
}
