// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore

/// A member's process, which runs until a signal requests termination.
package enum MemberProgram {
    /// Runs the member. It keeps its rows when it ends, and a process started in time continues with them.
    ///
    /// - Parameters:
    ///   - paths: the daemon's paths.
    ///   - environment: the environment for a daemon to start.
    ///   - startsDaemon: whether a daemon may be started.
    /// - Throws: `MemberError` if this machine is not a member, or already runs one.
    package static func run(
        paths: OffstagePaths,
        _ environment: [String: String],
        startsDaemon: Bool
    ) throws(MemberError) {
        offstage_forbid_core_dumps()
        offstage_limit_arenas(1)
        let signals = offstage_signalfd_for_daemon()
        signal(SIGPIPE, SIG_IGN)
        let settings = try MemberSettings.read(paths.fleetMember)
        let lock = try MemberLock(paths)
        defer { lock.release() }
        let way = MemberDaemon.Way(paths: paths, environment: environment, startsDaemon: startsDaemon)
        let member = try FleetMember(settings, way) { say("\($0.redactedControls)\n") }
        MemberLoop(member, signals: signals).run()
    }

    private static func say(_ text: String) { _ = write(2, text, text.utf8.count) }
}
