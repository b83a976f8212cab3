// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// A thread with a small stack that runs one closure to its end.
struct EngineThread: Sendable {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    private let thread: pthread_t

    /// Bytes of stack: libcurl and OpenSSL need far less than the 8 MiB a thread has by default.
    private static let stackSize = 512 * 1024

    /// - Throws: `EngineError.noThread` where the system allows no more threads.
    init(_ body: @escaping @Sendable () -> Void) throws(EngineError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, Self.stackSize)
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Body(run: body))
        let code = pthread_create(&thread, &attributes, Self.entry, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw .noThread(code)
        }
        self.thread = thread
    }

    func join() {
        pthread_join(thread, nil)
    }

    private static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        offstage_crash_thread("engine")
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
    }
}
