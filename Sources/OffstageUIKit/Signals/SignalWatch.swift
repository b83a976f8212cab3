// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import COffstageUIKit
import Foundation
import Glibc
import OffstageCore
import Synchronization

/// The thread that handles signals. SIGTERM, SIGINT and SIGHUP terminate the app as the system would, and in a terminal
/// Ctrl-Z acts as its Home button. Only signals that had their default action when the app started are handled.
final class SignalWatch: Sendable {
    static let shared = SignalWatch()

    /// Milliseconds between checks of the terminal while the app is in the background.
    private static let pause: Int32 = 100
    /// Seconds that `applicationWillTerminate` may take.
    private static let terminationTime = BackgroundTimeProfile.delegateTime
    /// Seconds that sending the last report may take before the shell shows its prompt again.
    private static let farewellTime = 0.1
    private static let endings = [SIGTERM, SIGINT, SIGHUP]

    private let descriptor: Int32
    private let isListening = Mutex(false)

    private init() {
        // The app's output must not be mistaken for signals.
        offstage_hold_standard_descriptors()
        descriptor = offstage_signal_pipe()
    }

    /// Starts handling signals. Call this on the main thread before the app's code runs.
    func start() {
        let wasListening = isListening.withLock { listening in
            defer { listening = true }
            return listening
        }
        guard descriptor >= 0, !wasListening else { return }
        for signal in Self.endings { _ = offstage_watch_signal(signal) }
        let terminal = Terminal()
        _ = offstage_watch_signal(SIGCONT)
        if let terminal, offstage_watch_signal(SIGTSTP) != 0 {
            // The kernel would stop the whole app if any of its threads read from the terminal.
            offstage_wait_at_signal(SIGTTIN)
            // An app started in the background of the terminal does not belong to it until it is brought to the
            // foreground.
            if terminal.isInFront == true { adopt(terminal) }
        }
        let thread = Thread { SignalWatch.shared.run(terminal) }
        thread.name = "offstage signal"
        thread.start()
    }

    /// Decides again whether to check the terminal. Call this when the app's state has changed.
    func lookAgain() {
        guard isListening.withLock({ $0 }) else { return }
        offstage_signal_wake()
    }

    /// Makes the app belong to the terminal.
    private func adopt(_ terminal: Terminal?) {
        Stage.current.setTerminal(terminal)
        // The delegate may write to the terminal, or restore it, while the app enters the background; that must not
        // stop the app.
        if terminal != nil { offstage_ignore_signal(SIGTTOU) }
    }

    // MARK: - The thread

    private func run(_ terminal: Terminal?) {
        var watch = TerminalWatch(isInFront: terminal?.isInFront ?? false)
        while true {
            let isWatching = Stage.current.lifeState == .background && Stage.current.isInFrontOfTerminal != nil
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&entry, 1, isWatching ? Self.pause : -1)
            if count > 0 {
                readSignals(terminal, &watch)
            } else if count == 0, let isInFront = Stage.current.isInFrontOfTerminal {
                if let report = watch.looked(isInFront: isInFront) { Stage.current.report(report) }
            }
        }
    }

    private func readSignals(_ terminal: Terminal?, _ watch: inout TerminalWatch) {
        while true {
            var sender: pid_t = 0
            let signal = offstage_signal_read(descriptor, &sender)
            switch signal {
            case -1: return
            case SIGTSTP: leave(terminal, &watch)
            case SIGCONT:
                continued(by: sender, terminal, &watch)
            case SIGTERM, SIGINT, SIGHUP: terminate(signal)
            default: break
            }
        }
    }

    private func continued(by sender: pid_t, _ terminal: Terminal?, _ watch: inout TerminalWatch) {
        // The app was started in the background of the terminal and has been brought to the foreground.
        if Stage.current.isInFrontOfTerminal == nil, terminal?.isInFront == true { adopt(terminal) }
        let report = watch.continued(
            isInFront: Stage.current.isInFrontOfTerminal,
            byShell: Terminal.hasShell(sender),
            isInBackground: Stage.current.lifeState == .background
        )
        if let report { Stage.current.report(report) }
    }

    /// Handles Ctrl-Z: notifies the daemon and stops the process immediately, so that the shell shows its prompt again.
    private func leave(_ terminal: Terminal?, _ watch: inout TerminalWatch) {
        adopt(terminal)
        Stage.current.report(watch.left())
        Stage.current.waitUntilSent(seconds: Self.farewellTime)
        kill(getpid(), SIGSTOP)
    }

    /// Notifies the delegate and ends the process. If the delegate does not return, or the signal arrives twice, the
    /// signal ends the process.
    private func terminate(_ signal: Int32) {
        for signal in Self.endings { offstage_unwatch_signal(signal) }
        Stage.current.deliver(.terminate)
        let thread = Thread {
            Thread.sleep(forTimeInterval: Self.terminationTime)
            kill(getpid(), signal)
        }
        thread.start()
    }
}
