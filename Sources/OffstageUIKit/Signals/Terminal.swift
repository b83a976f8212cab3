// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The terminal that controls the process. Its descriptor stays open for the lifetime of the process.
struct Terminal: Sendable {
    private let descriptor: Int32

    /// The controlling terminal; nil if the process has none.
    init?() {
        let opened = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard opened >= 0 else { return nil }
        descriptor = opened
    }

    /// Whether the process group is in the terminal's foreground; nil if the terminal is gone.
    var isInFront: Bool? {
        let group = tcgetpgrp(descriptor)
        return group < 0 ? nil : group == getpgrp()
    }

    /// Whether a process belongs to the terminal's session: the shell does, but the daemon does not.
    static func hasShell(_ process: pid_t) -> Bool { process > 0 && getsid(process) == getsid(0) }
}
