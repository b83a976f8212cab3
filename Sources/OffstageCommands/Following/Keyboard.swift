// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A terminal's keys, one by one and without echo, during the lifetime of this object. Ctrl-C keeps its meaning.
package final class Keyboard {
    private let terminal: Int32
    private var isGone = false
    /// The terminal's previous settings; nil if it is not a terminal.
    private let before: termios?

    /// - Parameter descriptor: the source of keys; no keyboard if negative.
    package init?(_ descriptor: Int32) {
        guard descriptor >= 0 else { return nil }
        terminal = descriptor
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else {
            before = nil
            return
        }
        before = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(descriptor, TCSANOW, &settings)
    }

    deinit {
        guard var before else { return }
        tcsetattr(terminal, TCSANOW, &before)
    }

    /// Readable when a key was pressed; -1 once the terminal is gone.
    package var descriptor: Int32 { isGone ? -1 : terminal }

    /// The pressed keys; always empty once the terminal is gone.
    package func read() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(terminal, &buffer, buffer.count)
        if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { isGone = true }
        return Array(buffer.prefix(max(0, count)))
    }

    /// Standard input, if it is a terminal and this process is in its foreground; otherwise -1.
    package static func standardInput() -> Int32 {
        isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp() ? STDIN_FILENO : -1
    }
}
