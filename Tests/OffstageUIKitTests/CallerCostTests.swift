// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport
import OffstageUIKit
import Testing

/// The cost of beginning a background task, in the thread's own time, which a busy machine does not lengthen.
@MainActor @Suite struct CallerCostTests {
    /// Seconds per task; the minimum of several tries.
    private func cost(of begin: () -> UIBackgroundTaskIdentifier) -> Double {
        var least = Double.infinity
        for _ in 0..<5 {
            let taken = ThreadTime.measure { for _ in 0..<20 { UIApplication.shared.endBackgroundTask(begin()) } }
            least = min(least, taken / .seconds(20))
        }
        return least
    }

    @Test func `a task without a name is begun without a look for its caller's`() {
        let application = UIApplication.shared
        let named = cost { application.beginBackgroundTask(withName: "named") }
        let unnamed = cost { application.beginBackgroundTask() }
        #expect(unnamed - named < 100e-6)
    }
}
