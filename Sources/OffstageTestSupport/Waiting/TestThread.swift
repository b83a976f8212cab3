// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Threads outside Swift's pool, which may block.
package enum TestThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` on its own detached thread.
    package static func start(_ body: @escaping @Sendable () -> Void) throws {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 512 << 10)
        defer { pthread_attr_destroy(&attributes) }
        let argument = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread,
            &attributes,
            { pointer in
                if let pointer { Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run() }
                return nil
            },
            argument.toOpaque()
        )
        guard code == 0 else {
            argument.release()
            throw TestError.system("A thread cannot be started", code)
        }
    }
}
