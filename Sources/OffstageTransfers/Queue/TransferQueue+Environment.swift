// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageRuntime

extension TransferQueue {
    /// What the queue needs from the machine.
    package struct Environment: Sendable {
        package var now: @Sendable () -> Moment
        /// Whether a host can be reached from here at all.
        package var networkProblem: @Sendable (_ host: String) -> NetworkProblem?
        /// A random number from 0 up to 1.
        package var jitter: @Sendable () -> Double
        /// What clocks here show, for the schedule.
        package var zone: CivilZone
        /// Starts a shell command with these variables added to the environment, its output going nowhere.
        package var runCommand: @Sendable (_ command: String, _ directory: String, [String: String]) -> Void
        /// Writes one line to the daemon's log; it holds no secrets.
        package var log: Log
        /// Runs a shell command and returns what it printed; nil when it failed.
        package var readCommand: @Sendable (_ command: String, [String: String]) async -> String?
        /// An access token for an account, to be sent to URLs below `places` alone, and for `owner` alone where somebody
        /// is named; `rejecting` one that the server did not take.
        package var token: TokenSource

        package typealias TokenSource =
            @Sendable (
                _ account: String, _ rejecting: String?, _ places: [String], _ owner: String?
            ) async -> Result<GrantedToken, TransferFailure>

        package init(
            now: @escaping @Sendable () -> Moment,
            networkProblem: @escaping @Sendable (String) -> NetworkProblem?,
            jitter: @escaping @Sendable () -> Double,
            runCommand: @escaping @Sendable (String, String, [String: String]) -> Void,
            log: Log,
            readCommand: @escaping @Sendable (String, [String: String]) async -> String?,
            zone: CivilZone = CivilZone(time: { _ in nil }, instant: { _ in nil }),
            token: @escaping TokenSource = { account, _, _, _ in .failure(.noAccount(account)) }
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
