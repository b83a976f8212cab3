// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore

/// The process of a member, until a signal asks for its end.
package enum MemberProgram {
    /// Runs the member. It keeps what it holds: a process that comes in time goes on with it.
    ///
    /// - Parameters:
    ///   - paths: the daemon's.
    ///   - environment: for a daemon that is started.
    ///   - startsDaemon: whether one may be.
    /// - Throws: `MemberError` if this machine is no member, or runs one already.
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
