// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Asks for a password on the terminal, without showing what is typed.
enum PasswordPrompt {
    /// Nil when there is no terminal.
    static func ask(_ prompt: String) -> String? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        var before = termios()
        guard tcgetattr(terminal, &before) == 0 else { return nil }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(terminal, TCSAFLUSH, &silent)
        defer { tcsetattr(terminal, TCSAFLUSH, &before) }
        write(terminal, prompt, prompt.utf8.count)
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(terminal, &byte, 1) == 1, byte != 10 { line.append(byte) }
        write(terminal, "\n", 1)
        return String(decoding: line, as: UTF8.self)
    }
}
