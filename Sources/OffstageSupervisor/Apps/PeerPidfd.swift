// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// A peer's pidfd on its way to whoever uses and closes it.
///
/// Closed with this object if nobody takes it: the peer's program may be set aside, or there may be no thread to look
/// at it, and its library asks again for as long as it runs.
package final class PeerPidfd: Sendable {
    private let descriptor: Atomic<Int32>

    /// - Parameter descriptor: the pidfd, which belongs to this object from now on, or -1.
    package init(_ descriptor: Int32) { self.descriptor = Atomic(descriptor) }

    deinit {
        let descriptor = take()
        if descriptor >= 0 { close(descriptor) }
    }

    /// The pidfd, which the caller closes; -1 if there is none, or it has been taken.
    package func take() -> Int32 { descriptor.exchange(-1, ordering: .acquiringAndReleasing) }
}
