// SPDX-License-Identifier: Apache-2.0
// Background tasks in Swift 6: from actors, tasks and the main actor.
import UIKit

actor Uploads {
    private var task = UIBackgroundTaskIdentifier.invalid

    func begin(_ application: UIApplication) {
        task = application.beginBackgroundTask(withName: "uploads") { Task { await self.end(application) } }
    }

    func end(_ application: UIApplication) {
        guard task != .invalid else { return }
        application.endBackgroundTask(task)
        task = .invalid
    }
}

@MainActor
final class Screen {
    var task: UIBackgroundTaskIdentifier = .invalid
    let uploads = Uploads()

    func leave() async {
        task = UIApplication.shared.beginBackgroundTask { [weak self] in self?.giveUp() }
        await uploads.begin(.shared)
        giveUp()
    }

    func giveUp() {
        UIApplication.shared.endBackgroundTask(task)
        task = .invalid
    }
}

func withBackgroundTask<Result: Sendable>(
    _ name: String,
    _ body: @Sendable () async throws -> Result
) async rethrows -> Result {
    let application = await UIApplication.shared
    let task = application.beginBackgroundTask(withName: name)
    defer { application.endBackgroundTask(task) }
    return try await body()
}

/// An app with its own main loop.
@MainActor
func enterStage(_ delegate: any UIApplicationDelegate) {
    UIApplication.takeStage(with: delegate) { work in DispatchQueue.main.async { work() } }
    UIApplication.shared.reportVisibility(false)
}
