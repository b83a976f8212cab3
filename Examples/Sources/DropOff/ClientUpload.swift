// SPDX-License-Identifier: Apache-2.0
import UIKit

/// Uploads one file to Dropbox with the app's own client: begin a background task, upload, handle success or failure,
/// end the task. An upload that is not finished when the time is up is lost.
final class ClientUpload {
    private let client: DropboxClient
    private let log: AppLog
    private var backgroundTask = UIBackgroundTaskIdentifier.invalid

    init(client: DropboxClient, log: AppLog) {
        self.client = client
        self.log = log
    }

    func upload(_ file: URL, to path: String) {
        backgroundTask = UIApplication.shared.beginBackgroundTask(withName: "drop off") { [weak self] in
            self?.log.note("time is up")
            self?.endBackgroundTask()
        }
        log.note("task begun")
        client.upload(
            file,
            to: path,
            success: { path in
                self.log.note("uploaded \(path)")
                self.endBackgroundTask()
            },
            failure: { error in
                self.log.note("upload failed \((error as NSError).code)")
                self.endBackgroundTask()
            }
        )
        log.note("upload begun")
    }

    private func endBackgroundTask() {
        guard backgroundTask != .invalid else { return }
        UIApplication.shared.endBackgroundTask(backgroundTask)
        backgroundTask = .invalid
        log.note("task ended")
    }
}
