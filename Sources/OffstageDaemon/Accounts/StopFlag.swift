// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Tells threads that they are to come to an end.
final class StopFlag: Sendable {
    private let flag = Mutex(false)

    var isSet: Bool { flag.withLock { $0 } }

    func set() { flag.withLock { $0 = true } }
}
