// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// A peer's pidfd on its way to the code that uses and closes it.
///
/// Closed with this object if it is not taken: the peer's program may be set aside, or there may be no thread to
/// inspect it, and its library asks again for as long as it runs.
package final class PeerPidfd: Sendable {
    private let descriptor: Atomic<Int32>

    /// - Parameter descriptor: the pidfd, which this object owns from now on, or -1.
    package init(_ descriptor: Int32) { self.descriptor = Atomic(descriptor) }

    deinit {
        let descriptor = take()
        if descriptor >= 0 { close(descriptor) }
    }

    /// The pidfd, which the caller closes; -1 if there is none, or it has been taken.
    package func take() -> Int32 { descriptor.exchange(-1, ordering: .acquiringAndReleasing) }
}
