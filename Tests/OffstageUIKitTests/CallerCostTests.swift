// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageUIKit
import Testing

/// What it costs to begin a background task, in the time of the thread's own that a busy machine does not lengthen.
@MainActor @Suite struct CallerCostTests {
    /// Seconds for a task; the least of several tries.
    private func cost(of begin: () -> UIBackgroundTaskIdentifier) -> Double {
        var least = Double.infinity
        for _ in 0..<5 {
            let before = Self.time
            for _ in 0..<20 { UIApplication.shared.endBackgroundTask(begin()) }
            least = min(least, (Self.time - before) / 20)
        }
        return least
    }

    private static var time: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test func `a task without a name is begun without a look for its caller's`() {
        let application = UIApplication.shared
        let named = cost { application.beginBackgroundTask(withName: "named") }
        let unnamed = cost { application.beginBackgroundTask() }
        #expect(unnamed - named < 100e-6)
    }
}
