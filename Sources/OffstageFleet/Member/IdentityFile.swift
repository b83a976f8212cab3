// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore
import OffstageFiles

/// The file in which a member remembers who it is to the database. Belongs to the loop's thread.
package final class IdentityFile {
    private let path: String
    package private(set) var identity: MemberIdentity?

    private static let longest = 65_536
    /// The deadline of the lease is written when it has moved by this part of the lease.
    private static let step = 0.25

    /// - Parameter path: absolute.
    package init(path: String) {
        self.path = path
        guard let bytes = SmallFile.read(path, limit: Self.longest) else { return }
        identity = try? ForeignJSON.decode(MemberIdentity.self, from: bytes, values: 100)
    }

    /// Remembers another identity, durable before this returns.
    ///
    /// - Throws: `MemberError`.
    package func set(_ new: MemberIdentity?) throws(MemberError) {
        identity = new
        try write(isDurable: true)
    }

    /// The number of the next turn, which no other process of this member uses.
    ///
    /// - Throws: `MemberError`.
    package func nextBeat() throws(MemberError) -> Int64 {
        guard let before = identity else { throw MemberError("This machine is no member at present.") }
        var changed = before
        let next = changed.nextBeat()
        identity = changed
        guard next.mustWrite else { return next.number }
        do throws(MemberError) {
            try write(isDurable: true)
        } catch {
            // Otherwise the next call would take a number that is not reserved.
            identity = before
            throw error
        }
        return next.number
    }

    /// The same as a value for the database; nil, and a word to the log, if the disk does not take it down. A later process could
    /// use it again, so nothing is asked then, and the lease ends.
    func beat(_ log: (String) -> Void) -> String? {
        do throws(MemberError) {
            return "\(try nextBeat())"
        } catch {
            log(error.description)
            return nil
        }
    }

    /// Records until when the lease can be relied on, for a process that comes after this one. It need not survive a power loss: the
    /// boot-time clock begins anew then.
    package func record(_ deadline: Deadline?) {
        guard var changed = identity else { return }
        if let deadline, let noted = changed.deadline, deadline.setAt.bootID == noted.setAt.bootID,
            deadline.setAt.uptime - noted.setAt.uptime < changed.leaseLength * Self.step
        {
            return
        }
        guard deadline != changed.deadline else { return }
        changed.deadline = deadline
        identity = changed
        // Without the note, the next process stops its transfers until the database has answered.
        try? write(isDurable: false)
    }

    private func write(isDurable: Bool) throws(MemberError) {
        guard let identity else {
            try MemberFile.remove(path)
            return
        }
        guard let json = try? JSONEncoder().encode(identity) else {
            throw MemberError("The file \(path) cannot be written.")
        }
        try MemberFile.write(Array(json), to: path, isDurable: isDurable)
    }
}
