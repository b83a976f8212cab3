// SPDX-License-Identifier: Apache-2.0
import OffstageBackgroundTasks
import OffstageUIKit

/// The app's use of the scheduler. Thread-safe. Unchecked: mutable state is only accessed with the lock held.
final class Handlers: @unchecked Sendable {
    static let shared = Handlers()
    private let lock = NSLock()
    private var held: [BGTask] = []
    private let own = DispatchQueue(label: "own")

    private init() { own.setSpecific(key: Self.key, value: "own") }

    private static let key = DispatchSpecificKey<String>()

    func register(_ queue: String, _ identifier: String) {
        let queues: [String: DispatchQueue] = ["main": .main, "own": own]
        let isRegistered = BGTaskScheduler.shared.register(
            forTaskWithIdentifier: identifier,
            using: queues[queue]
        ) { task in
            self.handle(task)
        }
        Log.shared.note("registered \(identifier) \(isRegistered)")
    }

    /// Carries out the last line of `FOLDER/behaviour` for the identifier: `complete`, `fail`, `hold`, `hold-on` (and
    /// does not complete when the time is over), `chain` and `slow-chain` (completes, and then submits again, as in
    /// Apple's article, at once or after some work), `late-chain` (the same, when the time is over), `no-handler`,
    /// `twice`, `again` (submits again for an hour later, and completes), `wait` (keeps its queue until the time is
    /// over), `crash`.
    private func handle(_ task: BGTask) {
        let place = Thread.isMainThread ? "main" : DispatchQueue.getSpecific(key: Self.key) ?? "background"
        Log.shared.note("handles \(task.identifier) \(type(of: task)) on \(place)")
        let behaviour = behaviour(of: task.identifier)
        switch behaviour {
        case "complete", "fail": complete(task, behaviour == "complete")
        case "twice":
            complete(task, true)
            complete(task, true)
        case "again":
            submit(["refresh", task.identifier, "in=3600"])
            complete(task, true)
        case "chain", "slow-chain":
            chain(task, milliseconds: behaviour == "chain" ? 0 : 400)
        case "late-chain":
            hold(task)
            task.expirationHandler = { self.chain(task, milliseconds: 700) }
            Log.shared.note("awaits the end of \(task.identifier)")
        case "crash": kill(getpid(), SIGKILL)
        case "no-handler": hold(task)
        case "wait":
            let isOver = DispatchSemaphore(value: 0)
            task.expirationHandler = {
                Log.shared.note("expires \(task.identifier)")
                isOver.signal()
            }
            isOver.wait()
            complete(task, false)
        case "wind-up":
            hold(task)
            task.expirationHandler = { self.complete(task, true) }
            Log.shared.note("awaits the end of \(task.identifier)")
        default:
            hold(task)
            task.expirationHandler = {
                Log.shared.note("expires \(task.identifier) \(task.expirationHandler == nil ? "once" : "again")")
                if behaviour != "hold-on" { self.complete(task, false) }
            }
        }
        // Logged after the handling: a reader of this line may cancel the task at once.
        if let continued = task as? BGContinuedProcessingTask {
            Log.shared.note("titled \(continued.title) \(continued.subtitle)")
        }
    }

    private func chain(_ task: BGTask, milliseconds: Int) {
        complete(task, true)
        let end = DispatchTime.now() + .milliseconds(milliseconds)
        while DispatchTime.now() < end {}
        submit(["refresh", task.identifier, "in=3600"])
    }

    private func behaviour(of identifier: String) -> String {
        let text = (try? String(contentsOfFile: CommandLine.arguments[1] + "/behaviour", encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        return lines.last { $0.first == identifier }?.last ?? "hold"
    }

    private func hold(_ task: BGTask) {
        lock.lock()
        held.append(task)
        lock.unlock()
    }

    private func complete(_ task: BGTask, _ success: Bool) {
        // Before the call: the app may be stopped right after it.
        Log.shared.note("completes \(task.identifier) \(success)")
        task.setTaskCompleted(success: success)
    }

    // MARK: What the test orders

    /// Completes the task that has run longest.
    func complete(_ success: Bool) {
        lock.lock()
        let task = held.isEmpty ? nil : held.removeFirst()
        lock.unlock()
        if let task { complete(task, success) }
    }

    /// KIND IDENTIFIER [WORD…]; the words are `network`, `power`, `fail`, `gpu` and `in=SECONDS`.
    func submit(_ words: [String]) {
        guard let request = makeRequest(words) else { return Log.shared.note("cannot submit \(words)") }
        do {
            try BGTaskScheduler.shared.submit(request)
            Log.shared.note("submitted \(request.identifier)")
        } catch {
            note(error, request.identifier)
        }
    }

    /// Like `submit`, with the newer calls.
    func submitNewly(_ words: [String], isAsync: Bool) {
        guard let request = makeRequest(words) else { return Log.shared.note("cannot submit \(words)") }
        let identifier = request.identifier
        guard isAsync else {
            return BGTaskScheduler.shared.submitTaskRequest(request) { error in
                if let error { note(error, identifier) } else { Log.shared.note("submitted \(identifier)") }
            }
        }
        Task {
            do {
                guard let request = self.makeRequest(words) else { return }
                try await BGTaskScheduler.shared.submitTaskRequest(request)
                Log.shared.note("submitted \(identifier)")
            } catch {
                note(error, identifier)
            }
        }
    }

    private func makeRequest(_ words: [String]) -> BGTaskRequest? {
        guard words.count >= 2 else { return nil }
        let request: BGTaskRequest
        switch words[0] {
        case "refresh": request = BGAppRefreshTaskRequest(identifier: words[1])
        case "processing": request = BGProcessingTaskRequest(identifier: words[1])
        case "research": request = BGHealthResearchTaskRequest(identifier: words[1])
        case "continued":
            let continued = BGContinuedProcessingTaskRequest(identifier: words[1], title: "Export", subtitle: "begins")
            continued.strategy = words.contains("fail") ? .fail : .queue
            continued.requiredResources = words.contains("gpu") ? .gpu : []
            request = continued
        default: return nil
        }
        if let processing = request as? BGProcessingTaskRequest {
            processing.requiresNetworkConnectivity = words.contains("network")
            processing.requiresExternalPower = words.contains("power")
        }
        if let word = words.first(where: { $0.hasPrefix("in=") }), let seconds = Double(word.dropFirst(3)) {
            request.earliestBeginDate = Date(timeIntervalSinceNow: seconds)
        }
        return request
    }

    func listPending() {
        BGTaskScheduler.shared.getPendingTaskRequests { requests in
            Log.shared.note("pending \(requests.map(describe).sorted())")
        }
    }

    func listPendingNewly() {
        Task {
            let requests = await BGTaskScheduler.shared.pendingTaskRequests()
            Log.shared.note("now pending \(requests.map(describe).sorted())")
        }
    }

    func progress(_ completed: Int64, _ total: Int64) {
        guard let task = continued else { return }
        task.progress.totalUnitCount = total
        task.progress.completedUnitCount = completed
        Log.shared.note("progress \(task.progress.fractionCompleted)")
    }

    func title(_ title: String, _ subtitle: String) {
        continued?.updateTitle(title, subtitle: subtitle)
        Log.shared.note("titled \(continued?.title ?? "") \(continued?.subtitle ?? "")")
    }

    private var continued: BGContinuedProcessingTask? {
        lock.lock()
        defer { lock.unlock() }
        return held.compactMap { $0 as? BGContinuedProcessingTask }.first
    }
}

private func note(_ error: Error, _ identifier: String) {
    let code = (error as? BGTaskScheduler.Error)?.code
    Log.shared.note("refused \(identifier) \(code.map { "\($0)" } ?? "\(error)")")
}

private func describe(_ request: BGTaskRequest) -> String {
    var words = ["\(type(of: request))", request.identifier]
    if request.earliestBeginDate != nil { words.append("later") }
    if let processing = request as? BGProcessingTaskRequest {
        if processing.requiresNetworkConnectivity { words.append("network") }
        if processing.requiresExternalPower { words.append("power") }
    }
    return words.joined(separator: " ")
}
