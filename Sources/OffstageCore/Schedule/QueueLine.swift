// SPDX-License-Identifier: Apache-2.0

/// One line of the queue: the transfers of an owner with a host that wait for their turn or hold a slot.
package struct QueueLine: Codable, Sendable, Equatable, Comparable {
    package var owner: String
    /// The background session of an app, which counts as an owner of its own.
    package var session: String?
    /// The host with its port.
    package var host: String
    /// How many wait for their turn.
    @Within<Counts> package var inLine: Int
    /// How many connections those that run have to the host.
    @Within<Counts> package var running: Int
    /// How many of them may be there at once.
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

    /// The longest first.
    package static func < (left: QueueLine, right: QueueLine) -> Bool {
        // The lengths are exchanged: the longer line is the lesser.
        let own = (right.inLine, right.running, left.owner, left.host, left.session ?? "")
        return own < (left.inLine, left.running, right.owner, right.host, right.session ?? "")
    }
}
