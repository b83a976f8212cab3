// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Cancelling what an app has handed over, because the person quit it: nothing that it, or another process of it, hands
/// over later.
extension SessionCenter {
    /// Cancels all that the app has handed over. What is still in the journals of the process that is being ended, or in
    /// those that were left, is cancelled as it is taken in.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - process: the one that is being ended; nil when none is.
    /// - Returns: how many tasks were cancelled; durable.
    func cancelAllForQuit(_ app: String, ending process: ProcessIdentity?) async -> Int {
        // What the daemon before left is known only then.
        await waitUntilReady()
        quitProcesses[app] = process
        for journal in leaving.values where journal.app == app { journal.isCancelled = true }
        for client in clients.values where client.identity.app == app && client.identity.process == process {
            client.journal.isCancelled = true
        }
        return await queue.cancelAllForQuit(app)
    }

    /// Waits, after `cancelAllForQuit`, until all that was still to be taken in is cancelled, too. Takes as long as the
    /// process lives.
    ///
    /// - Returns: whether that is durable; false when the daemon stops first.
    func restIsCancelled(of app: String) async -> Bool {
        while hasRest(app), !isStopping { await wait(for: .journalDeleted(app: app)) { hasRest(app) } }
        return !isStopping
    }

    private func hasRest(_ app: String) -> Bool {
        leaving.values.contains { $0.app == app && $0.isCancelled }
            || clients.values.contains { $0.identity.app == app && $0.journal.isCancelled }
    }
}
