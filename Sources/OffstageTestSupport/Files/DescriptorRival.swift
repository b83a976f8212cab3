// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A thread beside the one under test that opens files all the time, and notices when somebody else closes them.
package enum DescriptorRival {
    private struct State {
        var isStopping = false
        var hasEnded = false
        var lost = 0
    }

    /// - Parameter body: what should close nothing but its own, again and again.
    /// - Returns: how many descriptors were closed under the thread while `body` ran.
    /// - Throws: what `body` throws, or `TestError`.
    package static func lost(while body: () throws -> Void) throws -> Int {
        let state = Monitor(State())
        try TestThread.start {
            var lost = 0
            while !state.withLock({ $0.isStopping }) {
                for _ in 0..<100 {
                    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
                    if descriptor >= 0, close(descriptor) != 0 { lost += 1 }
                }
            }
            state.withLock {
                $0.lost = lost
                $0.hasEnded = true
            }
        }
        defer { state.withLock { $0.isStopping = true } }
        try body()
        state.withLock { $0.isStopping = true }
        guard let lost = state.wait(TimeLimit(seconds: 20), until: { $0.hasEnded ? $0.lost : nil }) else {
            throw TestError("The thread that opens files has not ended.")
        }
        return lost
    }
}
