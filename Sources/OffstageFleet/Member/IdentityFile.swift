// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore
import OffstageFiles

/// The file that stores a member's identity at the database. Belongs to the loop's thread.
package final class IdentityFile {
    private let path: String
    package private(set) var identity: MemberIdentity?

    private static let longest = 65_536
    /// The lease's deadline is written once it has moved by this fraction of the lease.
    private static let step = 0.25

    /// - Parameter path: an absolute path.
    package init(path: String) {
        self.path = path
        guard let bytes = SmallFile.read(path, limit: Self.longest) else { return }
        identity = try? ForeignJSON.decode(MemberIdentity.self, from: bytes, values: 100)
    }

    /// Stores another identity, durably before this returns.
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
            // Otherwise the next call would use a number that is not reserved.
            identity = before
            throw error
        }
        return next.number
    }

    /// The next number as a value for the database; nil, with a message in the log, if it could not be written to disk.
    /// A later process could then reuse it, so no question is asked, and the lease ends.
    func beat(_ log: (String) -> Void) -> String? {
        do throws(MemberError) {
            return "\(try nextBeat())"
        } catch {
            log(error.description)
            return nil
        }
    }

    /// Records the end of the lease for a later process. It need not survive a power loss, as the boot-time clock then
    /// starts over.
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
        // Without this record, the next process stops its transfers until the database has answered.
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
