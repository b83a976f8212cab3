// SPDX-License-Identifier: Apache-2.0

/// Background sessions, as apps' life cycles need them. Calls on the loop do not change threads.
package protocol AppSessions: Actor {
    /// Sets the handler that is called, on the loop, when sessions need their apps. Call this before anything begins.
    func setAppSink(_ sink: @escaping @Sendable (AppNotice) -> Void)
    /// The number of an app's unfinished tasks.
    func outstanding(of app: String) -> Int
    /// The same for each app that has any.
    var outstandingByApp: [String: Int] { get }
    /// Withholds the events of the app's sessions from it until `deliver`.
    func withhold(_ app: String, from process: ProcessIdentity?)
    /// Lets the app receive events of one of its sessions, or of all if there is no name.
    func deliver(_ app: String, session identifier: String?)
    /// Records that the app is being asked to handle the session's events.
    func notified(_ app: String, session identifier: String)
    /// Records that the app has called the completion handler of the session's events, or is no longer called for them.
    func handled(_ app: String, session identifier: String)
    /// Accepts records that the app wrote without notifying the daemon.
    func acceptUnannounced(of app: String)
    /// Cancels everything that the app has handed over; returns the number of tasks once that is durable.
    func cancelAllForQuit(_ app: String, ending process: ProcessIdentity?) async -> Int
    /// Waits, after `cancelAllForQuit`, until the tasks that had not been accepted then are cancelled, too; false if
    /// the daemon stops first.
    func restIsCancelled(of app: String) async -> Bool
}
