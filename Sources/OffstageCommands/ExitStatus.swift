// SPDX-License-Identifier: Apache-2.0
import COffstageLinux

/// The command's exit status (docs/exit-codes.md).
package struct ExitStatus: Error, Sendable, Equatable, Hashable {
    package let code: Int32

    /// Everything that was asked for is done.
    package static let success = ExitStatus(code: 0)
    /// A transfer failed or was cancelled, an app refuses or has ended, or something at this end prevents it.
    package static let failure = ExitStatus(code: 1)
    /// The command line makes no sense.
    package static let usage = ExitStatus(code: 2)
    /// The daemon cannot be reached, cannot be started, or refused.
    package static let daemonUnreachable = ExitStatus(code: 3)
    /// There is no transfer of that number, no such app, no such task, or no such account.
    package static let notFound = ExitStatus(code: 4)
    /// A server answered with a status of 400 or more (curl's --fail has the same number).
    package static let httpError = ExitStatus(code: 22)
    /// What was asked for is done, and standard output could not be told of all of it (sysexits.h has EX_IOERR).
    package static let outputLost = ExitStatus(code: 74)
    /// Ctrl-C: the transfers go on in the background.
    package static let detached = ExitStatus(code: 130)

    /// Whoever read standard output has gone: as a command ends that writes to it, by SIGPIPE.
    package static let readerGone = ExitStatus(code: 141)

    /// A signal asked the command to end; the transfers go on. 128 and its number, as shells have it: `detached` for SIGINT.
    ///
    /// - Parameter signals: what `CommandContext.catchSignals` gave, readable.
    /// - Returns: the status to exit with.
    package static func detached(bySignalOf signals: Int32) -> ExitStatus {
        let signal = offstage_signalfd_read(signals)
        return signal > 0 && signal < 64 ? ExitStatus(code: 128 + signal) : .detached
    }

    package static let table: [(status: ExitStatus, meaning: String)] = [
        (.success, "everything that was asked for is done"),
        (.failure, "a transfer failed or was cancelled, a file cannot be used, or an app refuses or has ended"),
        (.usage, "the command line makes no sense"),
        (.daemonUnreachable, "the daemon cannot be reached or started, or refused"),
        (.notFound, "there is no transfer of that number, no such app, no such task, or no such account"),
        (.httpError, "a server answered with a status of 400 or more"),
        (.outputLost, "what was asked for is done, but standard output cannot be written"),
        (.detached, "detached by Ctrl-C; the transfers go on in the background (129 by SIGHUP, 143 by SIGTERM)"),
    ]
}
