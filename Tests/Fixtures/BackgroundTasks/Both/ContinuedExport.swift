// SPDX-License-Identifier: Apache-2.0
// Continued processing, registered while the app runs.
import BackgroundTasks

final class Exporter: @unchecked Sendable {
    private let lock = NSLock()
    private var task: BGContinuedProcessingTask?

    func export(_ job: UUID) async throws {
        let identifier = "com.example.app.export.\(job.uuidString)"
        let isRegistered = BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
            guard let task = task as? BGContinuedProcessingTask else { return task.setTaskCompleted(success: false) }
            self.adopt(task)
        }
        guard isRegistered else { return }
        let request = BGContinuedProcessingTaskRequest(
            identifier: identifier,
            title: "Export",
            subtitle: "begins"
        )
        request.strategy = .fail
        if BGTaskScheduler.supportedResources.contains(.gpu) { request.requiredResources = .gpu }
        try await BGTaskScheduler.shared.submitTaskRequest(request)
    }

    func exportLater(_ request: BGContinuedProcessingTaskRequest) {
        request.strategy = .queue
        BGTaskScheduler.shared.submitTaskRequest(request) { error in
            if let error { print(error.localizedDescription) }
        }
    }

    private func adopt(_ task: BGContinuedProcessingTask) {
        lock.lock()
        defer { lock.unlock() }
        self.task = task
        task.progress.totalUnitCount = 100
        task.expirationHandler = { [weak self] in self?.end(false) }
        let reporting: any ProgressReporting = task
        print(reporting.progress.fractionCompleted)
    }

    func advance(to fraction: Double) {
        guard let task else { return }
        task.progress.completedUnitCount = Int64(fraction * 100)
        task.updateTitle(task.title, subtitle: "\(Int(fraction * 100)) %")
    }

    func end(_ success: Bool) { task?.setTaskCompleted(success: success) }
}
