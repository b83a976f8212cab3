// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A shortage of descriptors, memory or locks, which other work releases within moments.
package enum Lack {
    /// The delay before each retry, in milliseconds.
    private static let pauses: [Int32] = [10, 20, 40, 80, 160, 320]

    /// Retries a call that fails because of a shortage. Blocking, so call it on a worker.
    ///
    /// - Parameters:
    ///   - pause: waits for that many milliseconds.
    ///   - body: returns nil if the call fails, with its `errno`.
    /// - Returns: the last result of `body`, with its `errno`.
    package static func waitedOut<Value>(
        pause: (Int32) -> Void = { _ = poll(nil, 0, $0) },
        _ body: () -> Value?
    ) -> Value? {
        for milliseconds in pauses {
            errno = 0
            if let value = body() { return value }
            guard FileTrouble(errno) == .passing else { return nil }
            pause(milliseconds)
        }
        return body()
    }
}
