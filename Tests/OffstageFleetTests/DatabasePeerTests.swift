// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageFleet
import OffstageTestSupport
import Testing

/// A socket of this machine has no TLS: the kernel is asked for the listener's owner before a password is sent.
@Suite struct DatabasePeerTests {
    /// A user on every machine, as whom no one logs in.
    private static let nobody: UInt32 = 65_534

    /// The reason for not connecting.
    private func refusal(_ words: String) throws -> String {
        guard case .failure(let error) = DatabaseConnection.opened(try DatabaseAddress(words)) else {
            throw TestError("A silent database was connected to.")
        }
        #expect(error.kind == .connection && !error.description.contains("hunter2"), "\(error)")
        return error.description
    }

    @Test func `this user, root and PostgreSQL's own user may have the socket, and nobody else`() throws {
        let own = try ChildProcess.run("/usr/bin/id", ["-un"]).output.split(separator: "\n").first.map(String.init)
        #expect(try DatabasePeer.name(of: geteuid(), at: "/tmp/s") == own)
        #expect(try DatabasePeer.name(of: 0, at: "/tmp/s") == "root")
        do {
            _ = try DatabasePeer.name(of: 4_000_000_000, at: "/tmp/s")
            Issue.record("A socket of anybody's was believed.")
        } catch {
            #expect(error.description.contains("the socket /tmp/s belongs to user 4000000000"), "\(error)")
            #expect(error.description.contains("requirepeer=USER"))
        }
    }

    @Test func `a server of another user than the address names is told nothing`() throws {
        let database = try SilentDatabase()
        let words = try refusal(database.words + " requirepeer=nobody-has-this-name")
        #expect(words.contains("requirepeer specifies"), "\(words)")
        #expect(database.told == 0)
    }

    @Test func `a name without a file has no owner, and needs one to be named`() throws {
        let words = try refusal("host=@offstage port=5432 user=ann password=hunter2 dbname=fleet")
        #expect(words.contains("nobody owns the socket @offstage/.s.PGSQL.5432"), "\(words)")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root to give a file away"))
    func `a socket that another user has made in a folder is not connected to`() throws {
        let database = try SilentDatabase()
        #expect(chmod(database.folder.path, 0o1777) == 0 && chown(database.path, Self.nobody, Self.nobody) == 0)
        // Nor as one of several servers, or in a list with remote servers.
        for address in [
            database.words, database.words.replacing("host=", with: "host=/nonexistent,"),
            database.words.replacing("host=", with: "host=db.example,"),
        ] {
            let words = try refusal(address)
            #expect(words.contains(" belongs to ") && words.contains("user \(Self.nobody)"), "\(words)")
        }
        #expect(database.told == 0)
    }

    @Test(
        .enabled(
            if: geteuid() == 0 && PostgresServer.isThere,
            "needs root to give a file away, and PostgreSQL's user"
        )
    )
    func `it is the process that counts, whoever the file belongs to`() throws {
        let database = try SilentDatabase()
        let user = try ChildProcess.run("/usr/bin/id", ["-u", "postgres"]).output.split(separator: "\n").first
        let postgres = try #require(user.flatMap { UInt32($0) })
        #expect(chown(database.path, postgres, postgres) == 0)
        let words = try refusal(database.words)
        #expect(words.contains("requirepeer specifies \"postgres\""), "\(words)")
        #expect(database.told == 0)
    }
}
