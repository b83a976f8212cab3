// SPDX-License-Identifier: Apache-2.0

/// A value that belongs to the loop and is handed to closures that run there.
///
/// `@unchecked Sendable`: each access to `value` checks that it is on the loop's thread.
package final class LoopOwned<Value>: @unchecked Sendable {
    private let stored: Value
    private let loop: EventLoop

    package init(_ value: Value, loop: EventLoop) {
        stored = value
        self.loop = loop
    }

    package var value: Value {
        loop.checkIsolated()
        return stored
    }
}
