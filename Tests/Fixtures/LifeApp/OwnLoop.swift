// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit

/// A main loop that knows nothing of Foundation's or Dispatch's. Unchecked: its works are only accessed with the
/// condition locked.
final class OwnLoop: @unchecked Sendable {
    private let condition = NSCondition()
    // Guarded by `condition`.
    private var works: [() -> Void] = []

    func perform(_ work: @escaping () -> Void) {
        condition.lock()
        works.append(work)
        condition.signal()
        condition.unlock()
    }

    func run() -> Never {
        while true {
            condition.lock()
            while works.isEmpty { condition.wait() }
            let work = works.removeFirst()
            condition.unlock()
            work()
        }
    }
}
