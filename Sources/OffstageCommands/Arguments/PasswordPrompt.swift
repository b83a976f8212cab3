// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// Asks for a password on the terminal, without echo.
enum PasswordPrompt {
    /// Asks for a password; nil if there is no terminal. A signal ends the process only after echo is restored.
    static func ask(_ prompt: String) -> String? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        var before = termios()
        guard tcgetattr(terminal, &before) == 0 else { return nil }
        var mask = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &mask)
        let signals = CommandContext.signalDescriptor()
        defer { if signals >= 0 { close(signals) } }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(terminal, TCSAFLUSH, &silent)
        write(terminal, prompt, prompt.utf8.count)
        var line: [UInt8] = []
        let ending = read(&line, from: terminal, orA: signals)
        write(terminal, "\n", 1)
        tcsetattr(terminal, TCSAFLUSH, &before)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        if let ending {
            raise(ending)
            return nil
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Reads a line, of which the terminal delivers at most 4 KiB.
    ///
    /// - Returns: the signal that arrived instead, if any.
    private static func read(_ line: inout [UInt8], from terminal: Int32, orA signals: Int32) -> Int32? {
        var byte: UInt8 = 0
        while true {
            var watched = [terminal, signals].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if poll(&watched, nfds_t(watched.count), -1) < 0, errno != EINTR { return nil }
            if watched[1].revents & Int16(POLLIN) != 0 {
                let ending = offstage_signalfd_read(signals)
                if [SIGINT, SIGTERM, SIGHUP].contains(ending) { return ending }
            }
            guard watched[0].revents != 0 else { continue }
            let count = Glibc.read(terminal, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != 10 else { return nil }
            line.append(byte)
        }
    }
}
