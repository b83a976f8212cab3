// SPDX-License-Identifier: Apache-2.0
import COffstageTestSupport
import Glibc

/// Runs code in another network namespace. A socket stays in the namespace that it was created in.
package enum NetworkNamespace {
    /// Runs `body` on its own thread, which joins a namespace; needs root.
    ///
    /// - Throws: `TestError` if the namespace cannot be joined or `body` throws.
    package static func run<Value: Sendable>(
        _ path: String,
        _ body: @escaping @Sendable () throws -> Value
    ) throws -> Value {
        let outcome = Monitor<Result<Value, TestError>?>(nil)
        try TestThread.start {
            let file = open(path, O_RDONLY | O_CLOEXEC)
            defer { if file >= 0 { close(file) } }
            guard file >= 0, offstage_test_join_network(file) == 0 else {
                let error = TestError.system("The network namespace \(path) cannot be joined")
                return outcome.withLock { $0 = .failure(error) }
            }
            let made = Result { try body() }
            outcome.withLock { $0 = made.mapError { TestError("\($0)") } }
        }
        guard let result = outcome.wait(TimeLimit(seconds: 10), until: { $0 }) else {
            throw TestError("The network namespace \(path) was not joined in time.")
        }
        return try result.get()
    }
}
