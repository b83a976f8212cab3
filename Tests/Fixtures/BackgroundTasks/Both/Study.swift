// SPDX-License-Identifier: Apache-2.0
// A health study, and a request that is looked at again.
import BackgroundTasks

func scheduleStudy() async throws -> Date? {
    let request = BGHealthResearchTaskRequest(identifier: "com.example.study")
    request.protectionTypeOfRequiredData = .completeUntilFirstUserAuthentication
    request.requiresNetworkConnectivity = true
    if let copy = request.copy() as? BGHealthResearchTaskRequest { print(copy.requiresNetworkConnectivity) }
    try BGTaskScheduler.shared.submit(request)
    let pending = await BGTaskScheduler.shared.pendingTaskRequests()
    return pending.compactMap(\.earliestBeginDate).min()
}

func register() {
    BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.study", using: DispatchQueue.global()) {
        guard let task = $0 as? BGHealthResearchTask else { return }
        study(task)
    }
}

func study(_ task: BGProcessingTask) { task.setTaskCompleted(success: true) }
