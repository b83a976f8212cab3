// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import Synchronization

/// Orders on their way to the engine's thread, and the bell that wakes it.
///
/// The bell is an eventfd, not curl_multi_wakeup, since an idle engine has no multi handle to wake.
final class CurlMailbox: Sendable {
    enum Order: Sendable {
        case start(EngineRequest)
        case stop(RequestKey)
        case setRateLimit(RequestKey, Int64?)
        case setEnd(RequestKey, Int64)
        /// Has no effect except to be taken.
        case answer
        case shutDown
    }

    private let orders = Mutex<[Order]>([])
    private let isAsked = Atomic<Bool>(false)
    /// Readable while orders wait.
    let bell: Int32

    /// - Throws: `EngineError.noDescriptor` if no descriptor is left.
    init() throws(EngineError) {
        bell = offstage_eventfd()
        if bell < 0 { throw .noDescriptor(errno) }
    }

    deinit {
        close(bell)
    }

    /// Posts orders from any thread; never waits for the engine.
    func post(_ new: [Order]) {
        guard !new.isEmpty else { return }
        let mustRing = orders.withLock { orders in
            defer { orders.append(contentsOf: new) }
            return orders.isEmpty
        }
        if mustRing {
            var one: UInt64 = 1
            _ = write(bell, &one, 8)
        }
    }

    /// Prompts the engine's thread to take its orders.
    func ask() {
        isAsked.store(true, ordering: .relaxed)
        post([.answer])
    }

    /// Whether the thread has taken its orders since the last prompt.
    var hasAnswered: Bool { !isAsked.load(ordering: .relaxed) }

    /// Takes all orders in the order of their arrival.
    func takeAll() -> [Order] {
        isAsked.store(false, ordering: .relaxed)
        var count: UInt64 = 0
        _ = read(bell, &count, 8)
        return orders.withLock { orders in
            defer { orders = [] }
            return orders
        }
    }
}
