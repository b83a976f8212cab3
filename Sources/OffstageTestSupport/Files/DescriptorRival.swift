// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A thread next to the one under test that constantly opens files, and detects when other code closes them.
package enum DescriptorRival {
    private struct State {
        var isStopping = false
        var hasEnded = false
        var lost = 0
    }

    /// - Parameter body: runs repeatedly, and should close only its own descriptors.
    /// - Returns: how many of the thread's descriptors were closed by other code while `body` ran.
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
