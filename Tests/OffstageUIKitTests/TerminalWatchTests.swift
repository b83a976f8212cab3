// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageUIKit
import Testing

@Suite struct TerminalWatchTests {
    @Test func `after Ctrl-Z the daemon's continuation is answered with where the terminal is`() {
        var watch = TerminalWatch(isInFront: true)
        let farewell = watch.left()
        #expect(farewell == .leftTerminal)
        let answer = watch.continued(isInFront: false, byShell: false, isInBackground: false)
        #expect(answer == .terminal(isInFront: false))
    }

    @Test func `fg right after Ctrl-Z brings the app back`() {
        var watch = TerminalWatch(isInFront: true)
        _ = watch.left()
        let report = watch.continued(isInFront: true, byShell: true, isInBackground: false)
        #expect(report == .terminal(isInFront: true))
    }

    @Test func `fg of a job that the shell believes running is found by looking, once`() {
        var watch = TerminalWatch(isInFront: true)
        _ = watch.left()
        _ = watch.continued(isInFront: false, byShell: false, isInBackground: false)
        let first = watch.looked(isInFront: false)
        #expect(first == nil)
        let second = watch.looked(isInFront: true)
        #expect(second == .terminal(isInFront: true))
        let third = watch.looked(isInFront: true)
        #expect(third == nil)
    }

    @Test func `fg of a suspended app brings it back though the app never saw the terminal go`() {
        var watch = TerminalWatch(isInFront: true)
        let report = watch.continued(isInFront: true, byShell: true, isInBackground: true)
        #expect(report == .terminal(isInFront: true))
    }

    @Test func `an app that the daemon continues in a script without job control stays in background`() {
        var watch = TerminalWatch(isInFront: true)
        let first = watch.continued(isInFront: true, byShell: false, isInBackground: true)
        #expect(first == .continued)
        let second = watch.looked(isInFront: true)
        #expect(second == nil)
    }

    @Test func `bg of an app in foreground asks the daemon`() {
        var watch = TerminalWatch(isInFront: true)
        let report = watch.continued(isInFront: false, byShell: true, isInBackground: false)
        #expect(report == .terminal(isInFront: false))
    }

    @Test func `bg of an app in background has it stopped again`() {
        var watch = TerminalWatch(isInFront: true)
        _ = watch.left()
        _ = watch.continued(isInFront: false, byShell: false, isInBackground: false)
        let report = watch.continued(isInFront: false, byShell: true, isInBackground: true)
        #expect(report == .terminal(isInFront: false))
    }

    @Test(arguments: [true, false])
    func `an app that is no terminal's says that it was continued, in background alone`(isInBackground: Bool) {
        var watch = TerminalWatch(isInFront: false)
        let report = watch.continued(isInFront: nil, byShell: true, isInBackground: isInBackground)
        #expect(report == (isInBackground ? .continued : nil))
    }

    @Test func `an app that was begun behind its terminal and is brought to its front says so`() {
        var watch = TerminalWatch(isInFront: false)
        let report = watch.continued(isInFront: true, byShell: true, isInBackground: true)
        #expect(report == .terminal(isInFront: true))
    }
}
