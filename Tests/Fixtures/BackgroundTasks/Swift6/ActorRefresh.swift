// SPDX-License-Identifier: Apache-2.0
// Strict concurrency: a main-actor type registers on the main queue, an actor does the work.
import BackgroundTasks

actor Store {
    func refresh() async throws {}
}

@MainActor
final class Coordinator {
    private let store = Store()
    private var isRegistered = false

    func register() {
        isRegistered = BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.refresh", using: .main) {
            task in
            MainActor.assumeIsolated { self.refresh(task) }
        }
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.other", using: nil) { [store] task in
            let work = Task {
                do {
                    try await store.refresh()
                    task.setTaskCompleted(success: true)
                } catch {
                    task.setTaskCompleted(success: false)
                }
            }
            task.expirationHandler = { work.cancel() }
        }
    }

    private func refresh(_ task: BGTask) {
        let work = Task {
            let isDone = (try? await store.refresh()) != nil
            task.setTaskCompleted(success: isDone)
        }
        task.expirationHandler = { work.cancel() }
    }

    func pending() async -> [String] {
        await BGTaskScheduler.shared.pendingTaskRequests().map(\.identifier)
    }

    func submit() async throws {
        let request = BGProcessingTaskRequest(identifier: "com.example.other")
        request.requiresNetworkConnectivity = true
        try await BGTaskScheduler.shared.submitTaskRequest(request)
    }
}
