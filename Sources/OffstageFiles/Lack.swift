// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A lack of descriptors, memory or locks, which other work gives back within moments.
package enum Lack {
    /// Milliseconds before each further try.
    private static let pauses: [Int32] = [10, 20, 40, 80, 160, 320]

    /// Does again what comes to nothing for a lack. Blocking: called on a worker.
    ///
    /// - Parameters:
    ///   - pause: waits so many milliseconds.
    ///   - body: returns nil, with `errno` of the call that failed.
    /// - Returns: what `body` returned last, with its `errno`.
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
