// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageProtocol

/// Deferred work: the part of a handler.
extension WireApp {
    func startTask(_ launch: TaskLaunch) throws {
        let number = launch.number
        say("startTask \(number) \(launch.identifier)")
        // If it is launched again, it reports the status and starts nothing.
        if let completed = view.completedTasks.first(where: { $0.number == number }) {
            try report(.taskEntered(number))
            return try report(.taskCompleted(completed))
        }
        if view.runningTasks[number] == true { return try report(.taskEntered(number)) }
        if flags.contains("claimsNothing") { return try report(.taskUnclaimed(number)) }
        if flags.contains("crashesBeforeTasks") { abort() }
        view.runningTasks[number] = true
        say("entered \(number)")
        try report(.taskEntered(number))
        if flags.contains("crashesInTasks") { abort() }
        if flags.contains("submitsAgain") || flags.contains("again") { try submitAgain(launch) }
        if flags.contains("completesTasks") || flags.contains("again") { try completeTask(number, success: true) }
    }

    func expireTask(_ number: UInt64, _ expiry: TaskExpiry) throws {
        say("expireTask \(number) \(expiry.rawValue)")
        if flags.contains("completesAtExpiry") { try completeTask(number, success: false) }
    }

    func completeTask(_ number: UInt64, success: Bool) throws {
        guard view.runningTasks.removeValue(forKey: number) != nil else { return say("not running \(number)") }
        let completion = TaskCompletion(number: number, success: success)
        view.completedTasks.append(completion)
        if view.completedTasks.count > 100 { view.completedTasks.removeFirst() }
        say("completed \(number)")
        try report(.taskCompleted(completion))
    }

    /// The title has so many two-byte characters; 0 gives an ordinary title.
    func reportProgress(_ number: UInt64, _ completed: Int64, length: Int) throws {
        let title = length == 0 ? "Exporting" : String(repeating: "ü", count: length)
        let progress = TaskProgress(title: title, subtitle: "in the test", completed: completed, total: 100)
        try report(.taskProgress(number, progress))
    }

    /// Like apps that want to be refreshed repeatedly: in an hour.
    private func submitAgain(_ launch: TaskLaunch) throws {
        guard let link = StageLink(path: socketPath), try link.ask(Hello(client: "WireApp")) != nil else { return }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let date = Date(timeIntervalSince1970: Double(time.tv_sec) + 3600)
        let draft = TaskDraft(identifier: launch.identifier, kind: launch.kind, earliestBegin: date)
        let refusal = try link.ask(SubmitTask(draft: draft))?.refusal
        say(refusal.map { "refused \($0.code)" } ?? "submitted \(launch.identifier)")
    }
}
