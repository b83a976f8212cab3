// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Signals threads to end.
package final class StopFlag: Sendable {
    private let flag = Mutex(false)

    package init() {}

    package var isSet: Bool { flag.withLock { $0 } }

    package func set() { flag.withLock { $0 = true } }
}
