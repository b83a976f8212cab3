// SPDX-License-Identifier: Apache-2.0
import COffstageLinux

/// The command's exit status (docs/exit-codes.md).
package struct ExitStatus: Error, Sendable, Equatable, Hashable {
    package let code: Int32

    /// Everything requested is done.
    package static let success = ExitStatus(code: 0)
    /// A transfer failed or was cancelled, an app refuses or has ended, or something at this end prevents it.
    package static let failure = ExitStatus(code: 1)
    /// The command line is invalid.
    package static let usage = ExitStatus(code: 2)
    /// The daemon or a fleet's database cannot be reached, cannot be started, or refused.
    package static let daemonUnreachable = ExitStatus(code: 3)
    /// There is no such transfer, app, task, account or row of a fleet.
    package static let notFound = ExitStatus(code: 4)
    /// A server answered with status 400 or above (curl's --fail uses the same number).
    package static let httpError = ExitStatus(code: 22)
    /// Everything requested is done, but standard output could not be written (EX_IOERR of sysexits.h).
    package static let outputLost = ExitStatus(code: 74)
    /// Ctrl-C: the transfers continue in the background.
    package static let detached = ExitStatus(code: 130)

    /// The reader of standard output has gone: the status of a command that SIGPIPE ends.
    package static let readerGone = ExitStatus(code: 141)

    /// A signal ended the command; the transfers continue. 128 plus its number, as in shells: `detached` for SIGINT.
    ///
    /// - Parameter signals: the descriptor from `CommandContext.catchSignals`, which must be readable.
    /// - Returns: the exit status.
    package static func detached(bySignalOf signals: Int32) -> ExitStatus {
        let signal = offstage_signalfd_read(signals)
        return signal > 0 && signal < 64 ? ExitStatus(code: 128 + signal) : .detached
    }

    package static let table: [(status: ExitStatus, meaning: String)] = [
        (.success, "everything requested is done"),
        (.failure, "a transfer failed or was cancelled, a file cannot be used, or an app refuses or has ended"),
        (.usage, "the command line is invalid"),
        (.daemonUnreachable, "the daemon or a fleet's database cannot be reached or started, or refused"),
        (.notFound, "there is no such transfer, app, task, account or row"),
        (.httpError, "a server answered with status 400 or above"),
        (.outputLost, "everything requested is done, but standard output cannot be written"),
        (.detached, "detached by Ctrl-C; the transfers continue in the background (129 by SIGHUP, 143 by SIGTERM)"),
    ]
}
