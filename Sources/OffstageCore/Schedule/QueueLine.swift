// SPDX-License-Identifier: Apache-2.0

/// One line of the queue: an owner's transfers with one host that wait for their turn or hold a slot.
package struct QueueLine: Codable, Sendable, Equatable, Comparable {
    package var owner: String
    /// The background session of an app, which counts as a separate owner.
    package var session: String?
    /// The host with its port.
    package var host: String
    /// The number of transfers that wait for their turn.
    @Within<Counts> package var inLine: Int
    /// The number of connections that running transfers have to the host.
    @Within<Counts> package var running: Int
    /// The greatest number of such connections at a time.
    package var limit: Int

    package init(owner: String, session: String?, host: String, limit: Int, inLine: Int = 0, running: Int = 0) {
        self.owner = owner
        self.session = session
        self.host = host
        self.limit = limit
        self.inLine = inLine
        self.running = running
    }

    /// Adds transfers of the same owner and host with other needs.
    mutating func add(inLine: Int, running: Int) {
        self.inLine += inLine
        self.running += running
    }

    /// Orders the longest line first.
    package static func < (left: QueueLine, right: QueueLine) -> Bool {
        // The lengths are swapped: the longer line comes first.
        let own = (right.inLine, right.running, left.owner, left.host, left.session ?? "")
        return own < (left.inLine, left.running, right.owner, right.host, right.session ?? "")
    }
}
