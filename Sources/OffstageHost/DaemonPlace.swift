// SPDX-License-Identifier: Apache-2.0

/// Where a daemon listens, and where that stands.
package struct DaemonPlace {
    package var listener: Int32
    /// Whether systemd has made the socket.
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
