// SPDX-License-Identifier: Apache-2.0
import BackgroundTasks
import Foundation

/// Work that is asked for again whenever it is done. What is noted with a request is when it is due, on CLOCK_BOOTTIME.
final class LaterWork {
    private static let identifier = "com.example.bench.later"
    private let seconds: Double

    init(seconds: Double) { self.seconds = seconds }

    func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: nil) { task in
            notes.add("entered")
            self.submit()
            task.setTaskCompleted(success: true)
        }
    }

    func submit() {
        let request = BGAppRefreshTaskRequest(identifier: Self.identifier)
        let due = Notes.now + Int64(seconds * 1e9)
        request.earliestBeginDate = Date(timeIntervalSinceNow: seconds)
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            fatalError("The request was refused: \(error)")
        }
        notes.add("submitted", due)
    }
}
