// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What ends the waits of a command before their time: a descriptor that becomes readable, as one for signals does.
package struct Interruption: Sendable {
    /// Negative for none.
    let descriptor: Int32

    /// Nothing ends a wait.
    package static let none = Interruption(descriptor: -1)

    /// - Parameter descriptor: open for as long as something waits; negative for none.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// - Throws: `.interrupted` if the wait is to end.
    func check() throws(OffstageError) { try pause(milliseconds: 0) }

    /// Waits that long.
    ///
    /// - Throws: `.interrupted` at once if the wait is to end.
    package func pause(milliseconds: Int32) throws(OffstageError) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, milliseconds) > 0 else { return }
        throw OffstageError(.interrupted, "A signal ended the wait for the daemon.")
    }
}
