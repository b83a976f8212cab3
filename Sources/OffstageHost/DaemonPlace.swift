// SPDX-License-Identifier: Apache-2.0

/// The socket at which a daemon listens, and the lock file that names it.
package struct DaemonPlace {
    package var listener: Int32
    /// Whether systemd made the socket.
    package var isInherited: Bool
    /// The descriptor of the lock file.
    package var lock: Int32
    package var environment: [String: String]

    package init(listener: Int32, isInherited: Bool, lock: Int32, environment: [String: String]) {
        self.listener = listener
        self.isInherited = isInherited
        self.lock = lock
        self.environment = environment
    }
}
