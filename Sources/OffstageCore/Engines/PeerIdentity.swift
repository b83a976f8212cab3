// SPDX-License-Identifier: Apache-2.0

/// Which app's which process is at the other end of a socket: what the kernel says of it, not what it says itself.
package struct PeerIdentity: Sendable, Equatable {
    package var app: String
    package var process: ProcessIdentity

    package init(app: String, process: ProcessIdentity) {
        self.app = app
        self.process = process
    }
}

/// Who says which process is at the other end, and whether it is still there. Both block: they are called on workers.
package struct PeerReader: Sendable {
    /// By the peer's number, from its credentials, and the peer itself where the kernel gives one out, else -1, which is
    /// closed. Nil when the process has gone, or hides what it runs.
    package var identify: @Sendable (_ process: Int32, _ pidfd: Int32) -> PeerIdentity?
    /// Whether a process is no more.
    package var hasEnded: @Sendable (ProcessIdentity) -> Bool

    package init(
        identify: @escaping @Sendable (_ process: Int32, _ pidfd: Int32) -> PeerIdentity?,
        hasEnded: @escaping @Sendable (ProcessIdentity) -> Bool
    ) {
        self.identify = identify
        self.hasEnded = hasEnded
    }
}
