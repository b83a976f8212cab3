// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Cancels everything that an app has handed over when a person quits it, but nothing that it, or another of its
/// processes, hands over later.
extension SessionCenter {
    /// Cancels everything that the app has handed over. Tasks in the journals of the process that is being ended, or in
    /// closed journals, are cancelled when they are imported.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - process: the process that is being ended; nil if there is none.
    /// - Returns: the number of cancelled tasks; durable.
    func cancelAllForQuit(_ app: String, ending process: ProcessIdentity?) async -> Int {
        // The tasks of the daemon before are only known then.
        await readiness.waitUntilReady()
        intake.cancelLeft(of: app)
        links.quit(app, ending: process)
        return await queue.cancelAllForQuit(app)
    }

    /// Waits, after `cancelAllForQuit`, until the tasks that had not been imported are cancelled, too. This takes as
    /// long as the process lives.
    ///
    /// - Returns: whether that is durable; false if the daemon stops first.
    func restIsCancelled(of app: String) async -> Bool {
        while intake.hasCancelled(of: app), !readiness.isStopping {
            await readiness.wait(for: .journalDeleted(app: app)) { intake.hasCancelled(of: app) }
        }
        return !readiness.isStopping
    }
}
