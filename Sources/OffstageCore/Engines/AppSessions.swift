// SPDX-License-Identifier: Apache-2.0

/// Background sessions, as apps' life cycles need them. Calls on the loop do not change threads.
package protocol AppSessions: Actor {
    /// Sets the handler that is called, on the loop, when sessions need their apps; before anything begins.
    func setAppSink(_ sink: @escaping @Sendable (AppNotice) -> Void)
    /// Tasks of an app that have not ended.
    func outstanding(of app: String) -> Int
    /// The same for each app that has any.
    var outstandingByApp: [String: Int] { get }
    /// From now on the app receives no events of its sessions, until `deliver`.
    func withhold(_ app: String, from process: ProcessIdentity?)
    /// The app may receive events of one of its sessions, or of all without a name.
    func deliver(_ app: String, session identifier: String?)
    /// The app is being asked to handle the session's events.
    func notified(_ app: String, session identifier: String)
    /// The app has called the completion handler of the session's events, or is no longer called for them.
    func handled(_ app: String, session identifier: String)
    /// Accepts records that the app wrote without ringing.
    func acceptUnannounced(of app: String)
    /// Cancels everything that the app has handed over; returns the number of tasks once that is durable.
    func cancelAllForQuit(_ app: String, ending process: ProcessIdentity?) async -> Int
    /// Waits, after `cancelAllForQuit`, until the tasks that had not been taken in are cancelled, too; false if the
    /// daemon stops first.
    func restIsCancelled(of app: String) async -> Bool
}
