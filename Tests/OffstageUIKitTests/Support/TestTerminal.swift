// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// A terminal, and a shell with job control in it that runs a few lines.
final class TestTerminal {
    /// The end of the terminal that a person types into.
    private let keyboard: Int32
    private let shell: ChildProcess

    /// TIOCSPTLCK and TIOCGPTN, which Swift does not import.
    private static let lock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    /// - Parameters:
    ///   - app: the app whose home the shell uses.
    ///   - script: the shell's script.
    /// - Throws: `TestError` if there is no terminal.
    init(_ app: LivingApp, _ script: String) throws {
        keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (isLocked, number): (Int32, Int32) = (0, 0)
        guard keyboard >= 0, ioctl(keyboard, Self.lock, &isLocked) == 0, ioctl(keyboard, Self.number, &number) == 0
        else { throw TestError.system("There is no terminal") }
        let screen = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(screen) }
        let path = app.folder + "/script"
        try TestFiles.write(script, to: path)
        shell = try ChildProcess(
            "/bin/bash",
            ["-c", "exec setsid -wc bash --noprofile --norc -m \(path) <&1"],
            environment: try app.environment,
            directory: app.folder,
            terminal: screen
        )
    }

    deinit { close(keyboard) }

    func type(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard write(keyboard, bytes, bytes.count) == bytes.count else { throw TestError.system("Nothing can be typed") }
    }
}
