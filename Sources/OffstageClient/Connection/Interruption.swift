// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Ends a command's waits early: a descriptor that becomes readable, such as one for signals.
package struct Interruption: Sendable {
    /// Negative if there is no descriptor.
    let descriptor: Int32

    /// Never ends a wait.
    package static let none = Interruption(descriptor: -1)

    /// - Parameter descriptor: stays open while anything waits; negative for none.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// - Throws: `.interrupted` if the wait should end.
    func check() throws(OffstageError) { try pause(milliseconds: 0) }

    /// Waits for this time.
    ///
    /// - Throws: `.interrupted` immediately if the wait should end.
    package func pause(milliseconds: Int32) throws(OffstageError) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, milliseconds) > 0 else { return }
        throw OffstageError(.interrupted, "A signal ended the wait for the daemon.")
    }
}
