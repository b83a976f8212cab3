// SPDX-License-Identifier: Apache-2.0
// An app's own protocols, to which the scheduler and its tasks conform so that tests can replace them.
import BackgroundTasks

protocol BackgroundTaskScheduling: AnyObject {
    func register(
        forTaskWithIdentifier identifier: String,
        using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool
    func submit(_ taskRequest: BGTaskRequest) throws
    func cancel(taskRequestWithIdentifier identifier: String)
    func cancelAllTaskRequests()
    func getPendingTaskRequests(completionHandler: @escaping ([BGTaskRequest]) -> Void)
    func pendingTaskRequests() async -> [BGTaskRequest]
}

extension BGTaskScheduler: BackgroundTaskScheduling {}

protocol NewerScheduling {
    static var shared: BGTaskScheduler { get }
    static var supportedResources: BGContinuedProcessingTaskRequest.Resources { get }
    func submitTaskRequest(_ taskRequest: BGTaskRequest, completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    func submitTaskRequest(_ taskRequest: BGTaskRequest) async throws
}

extension BGTaskScheduler: NewerScheduling {}

protocol BackgroundTask {
    var identifier: String { get }
    var expirationHandler: (() -> Void)? { get nonmutating set }
    func setTaskCompleted(success: Bool)
}

extension BGTask: BackgroundTask {}

protocol TaskRequestDescribing {
    var identifier: String { get }
    var earliestBeginDate: Date? { get set }
}

extension BGTaskRequest: TaskRequestDescribing {}

protocol ContinuedTask: AnyObject {
    var title: String { get }
    var subtitle: String { get }
    var progress: Progress { get }
    func updateTitle(_ title: String, subtitle: String)
}

extension BGContinuedProcessingTask: ContinuedTask {}

final class Refresher {
    private let scheduler: BackgroundTaskScheduling

    init(scheduler: BackgroundTaskScheduling = BGTaskScheduler.shared) { self.scheduler = scheduler }

    func begin() {
        _ = scheduler.register(forTaskWithIdentifier: "com.example.refresh", using: nil) { task in
            task.setTaskCompleted(success: true)
        }
        scheduler.getPendingTaskRequests { requests in
            let isPending = requests.contains { $0.identifier == "com.example.refresh" }
            print(isPending, requests.first is BGProcessingTaskRequest)
        }
    }
}
