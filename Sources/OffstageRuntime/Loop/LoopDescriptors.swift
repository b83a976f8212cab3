// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// The kernel's resources of a loop: epoll, and the three descriptors that it always watches with the token 0. They are
/// closed with the loop.
final class LoopDescriptors: Sendable {
    let epoll: Int32
    /// Rung by other threads.
    let doorbell: Int32
    let bootTimer: Int32
    /// Reading it fails with ECANCELED when the clock was set.
    let wallTimer: Int32

    init() throws(EventLoop.Refusal) {
        epoll = offstage_epoll_create()
        doorbell = offstage_eventfd()
        bootTimer = offstage_timerfd_create(0)
        wallTimer = offstage_timerfd_create(1)
        guard epoll >= 0, doorbell >= 0, bootTimer >= 0, wallTimer >= 0 else {
            throw .init(detail: "the kernel gave no event descriptors: \(String(cString: strerror(errno)))")
        }
        for descriptor in [doorbell, bootTimer, wallTimer] {
            guard offstage_epoll_ctl(epoll, offstage_epoll_add, descriptor, offstage_epoll_in, 0) == 0 else {
                throw .init(detail: "the kernel watches no event descriptor: \(String(cString: strerror(errno)))")
            }
        }
    }

    deinit {
        // A failed init also gets here.
        for descriptor in [epoll, doorbell, bootTimer, wallTimer] where descriptor >= 0 { close(descriptor) }
    }
}
