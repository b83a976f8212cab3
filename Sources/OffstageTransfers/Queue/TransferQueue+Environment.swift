// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageRuntime

extension TransferQueue {
    /// What the queue needs from the machine.
    package struct Environment: Sendable {
        package var now: @Sendable () -> Moment
        /// Why a host cannot be reached from this machine at all; nil if it can.
        package var networkProblem: @Sendable (_ host: String) -> NetworkProblem?
        /// A random number from 0 up to 1.
        package var jitter: @Sendable () -> Double
        /// The local time zone, for the schedule.
        package var zone: CivilZone
        /// Starts a shell command with these variables added to the environment; its output is discarded.
        package var runCommand: @Sendable (_ command: String, _ directory: String, [String: String]) -> Void
        /// Writes one line to the daemon's log; it holds no secrets.
        package var log: Log
        /// Runs a shell command and returns its output; nil if it failed.
        package var readCommand: @Sendable (_ command: String, [String: String]) async -> String?
        /// Returns an access token for an account, or the key of a profile. It may be used only for URLs below
        /// `places`, and only for `owner` if one is named; `rejecting` is the text of a token that the server did not
        /// accept.
        package var token: TokenSource
        /// How received data gets onto the disk.
        package var sync = FileSync()

        package typealias TokenSource =
            @Sendable (
                _ source: CredentialSource, _ rejecting: String?, _ places: [String], _ owner: String?
            ) async -> Result<GrantedToken, TransferFailure>

        package init(
            now: @escaping @Sendable () -> Moment,
            networkProblem: @escaping @Sendable (String) -> NetworkProblem?,
            jitter: @escaping @Sendable () -> Double,
            runCommand: @escaping @Sendable (String, String, [String: String]) -> Void,
            log: Log,
            readCommand: @escaping @Sendable (String, [String: String]) async -> String?,
            zone: CivilZone = CivilZone(time: { _ in nil }, instant: { _ in nil }),
            token: @escaping TokenSource = { source, _, _, _ in .failure(.notUsable(source)) }
        ) {
            self.zone = zone
            self.token = token
            self.now = now
            self.networkProblem = networkProblem
            self.jitter = jitter
            self.runCommand = runCommand
            self.log = log
            self.readCommand = readCommand
        }
    }
}
