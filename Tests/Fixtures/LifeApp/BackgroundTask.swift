// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit

/// The helper of many articles: begins a background task, and passes itself to a closure that ends it when done.
@MainActor final class BackgroundTask {
    private let application: UIApplication
    private var identifier = UIBackgroundTaskIdentifier.invalid

    private init(application: UIApplication) { self.application = application }

    static func run(application: UIApplication, handler: (BackgroundTask) -> Void) {
        let backgroundTask = BackgroundTask(application: application)
        backgroundTask.begin()
        handler(backgroundTask)
    }

    private func begin() {
        identifier = application.beginBackgroundTask { self.end() }
    }

    func end() {
        if identifier != .invalid { application.endBackgroundTask(identifier) }
        identifier = .invalid
    }
}

/// Two tasks, each ended by a timer with lines before and after it, as in an article, when the app goes to background.
/// The order of "task 1 complete after" and "some task 2" is a tie: both are due at the same instant.
@MainActor enum TwoTasks {
    /// Whether the next move to background begins them.
    static var areWanted = false

    static func run(_ application: UIApplication) {
        guard areWanted else { return }
        areWanted = false
        BackgroundTask.run(application: application) { backgroundTask in
            after(1) {
                note("some task 1")
                backgroundTask.end()
                note("task 1 complete")
                after(1) { note("task 1 complete after") }
            }
        }
        BackgroundTask.run(application: application) { backgroundTask in
            after(2) {
                note("some task 2")
                backgroundTask.end()
                note("task 2 complete")
                after(1) { note("task 2 complete after") }
            }
        }
    }

    private static func after(_ seconds: Double, _ body: @escaping @MainActor () -> Void) {
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { MainActor.assumeIsolated { body() } }
    }
}
