// SPDX-License-Identifier: Apache-2.0

/// What the lives of apps need of background sessions. Calls on the loop do not change threads.
package protocol AppSessions: Actor {
    /// Names who is told, on the loop, when sessions need their apps; before anything has begun.
    func setAppSink(_ sink: @escaping @Sendable (AppNotice) -> Void)
    /// Tasks of an app that have not ended.
    func outstanding(of app: String) -> Int
    /// The same of each app that has any.
    var outstandingByApp: [String: Int] { get }
    /// From now on the app is told nothing of its sessions, until `deliver`.
    func withhold(_ app: String, from process: ProcessIdentity?)
    /// The app may hear of one of its sessions, or of all when there is none named.
    func deliver(_ app: String, session identifier: String?)
    /// The app is just being told to handle the session's events.
    func told(_ app: String, session identifier: String)
    /// The app has called the completion handler of the session's events, or is not called for them any more.
    func handled(_ app: String, session identifier: String)
    /// Takes in what the app has handed over and not told of.
    func takeInUntold(of app: String)
    /// Cancels all that the app has handed over; returns how many tasks that were, durably.
    func cancelAllForQuit(_ app: String, ending process: ProcessIdentity?) async -> Int
    /// Waits, after `cancelAllForQuit`, until all that was still to be taken in is cancelled, too; false when the daemon
    /// stops first.
    func restIsCancelled(of app: String) async -> Bool
}
