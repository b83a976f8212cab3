// SPDX-License-Identifier: Apache-2.0
import COffstageTestSupport
import Glibc

/// A program in its own terminal; the test plays the window and the keyboard.
package final class TerminalWindow: Sendable {
    private let window: Int32
    private let child: ChildProcess
    private let screen = Monitor<[UInt8]>([])

    /// - Parameters:
    ///   - rows: the window's height.
    ///   - columns: the window's width.
    ///   - line: the program and its arguments.
    ///   - environment: the whole environment.
    ///   - directory: its working directory.
    /// - Throws: `TestError` if there is no terminal.
    package init(
        rows: UInt16,
        columns: UInt16,
        _ line: [String],
        environment: [String: String],
        directory: String
    ) throws {
        var name = [CChar](repeating: 0, count: 64)
        window = offstage_test_open_terminal(&name, name.count)
        guard window >= 0 else { throw TestError.system("No terminal can be made") }
        let device = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard device >= 0 else { throw TestError.system("The terminal cannot be opened") }
        defer { close(device) }
        try Self.resize(window, rows: rows, columns: columns)
        // The terminal is also its input, with the program in the foreground.
        child = try ChildProcess(
            "/bin/sh",
            ["-c", "exec setsid -wc \"$@\" <&1", "sh"] + line,
            environment: environment.merging(["TERM": "xterm"]) { $1 },
            directory: directory,
            terminal: device
        )
        let (window, screen) = (window, screen)
        try TestThread.start {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(window, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                screen.withLock { $0 += buffer[..<count] }
            }
            close(window)
        }
    }

    deinit { child.killGroup(SIGKILL) }

    /// Presses keys.
    package func type(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard write(window, bytes, bytes.count) == bytes.count else { throw TestError.system("Nothing can be typed") }
    }

    /// Resizes the window, which sends the program a SIGWINCH.
    package func resize(rows: UInt16, columns: UInt16) throws {
        try Self.resize(window, rows: rows, columns: columns)
    }

    /// Waits until the program has drawn this text since the last call.
    package func waitForText(_ text: String, within seconds: Double = 20) throws {
        let wanted = Array(text.utf8)
        let found: Bool? = screen.wait(TimeLimit(seconds: seconds)) { bytes in
            guard let range = bytes.firstRange(of: wanted) else { return nil }
            bytes.removeSubrange(..<range.upperBound)
            return true
        }
        guard found != nil else {
            let drawn = screen.withLock { String(decoding: $0, as: UTF8.self) }
            throw TestError("'\(text)' was not drawn in \(seconds) s, but: \(drawn.debugDescription)")
        }
    }

    /// Waits for its end.
    package func exitStatus(within seconds: Double = 20) throws -> ExitStatus {
        try child.exitStatus(within: seconds)
    }

    private static func resize(_ window: Int32, rows: UInt16, columns: UInt16) throws {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(window, UInt(TIOCSWINSZ), &size) == 0 else { throw TestError.system("The window keeps its size") }
    }
}
