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
        await readiness.waitUntilReady()
        intake.cancelLeft(of: app)
        links.quit(app, ending: process)
        return await queue.cancelAllForQuit(app)
    }

    /// Waits, after `cancelAllForQuit`, until all that was still to be taken in is cancelled, too. Takes as long as the
    /// process lives.
    ///
    /// - Returns: whether that is durable; false when the daemon stops first.
    func restIsCancelled(of app: String) async -> Bool {
        while intake.hasCancelled(of: app), !readiness.isStopping {
            await readiness.wait(for: .journalDeleted(app: app)) { intake.hasCancelled(of: app) }
        }
        return !readiness.isStopping
    }
}
