// SPDX-License-Identifier: Apache-2.0

/// The app and process of a socket's peer, according to the kernel rather than to the peer.
package struct PeerIdentity: Sendable, Equatable {
    package var app: String
    package var process: ProcessIdentity

    package init(app: String, process: ProcessIdentity) {
        self.app = app
        self.process = process
    }
}

/// Identifies a peer's process, and reads whether it has ended. Both block, so call them on workers.
package struct PeerReader: Sendable {
    /// Identifies a peer by its process number, from its credentials, and its pidfd, which is closed (-1 if the kernel
    /// provides none). Nil if the process has ended, or hides its program.
    package var identify: @Sendable (_ process: Int32, _ pidfd: Int32) -> PeerIdentity?
    /// Whether a process has ended.
    package var hasEnded: @Sendable (ProcessIdentity) -> Bool

    package init(
        identify: @escaping @Sendable (_ process: Int32, _ pidfd: Int32) -> PeerIdentity?,
        hasEnded: @escaping @Sendable (ProcessIdentity) -> Bool
    ) {
        self.identify = identify
        self.hasEnded = hasEnded
    }
}
