// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageClient
import OffstageCore
import OffstageProtocol

/// A background session by hand: its own connection, which hands uploads over and reads nothing.
final class WireSession {
    private let connection: DaemonConnection
    private let app: OpenApp.Reply
    private let journal: Int32
    private let identifier: String
    private var sequence: UInt64 = 0
    private var nextTask: Int

    init(_ identifier: String, environment: [String: String]) throws {
        self.identifier = identifier
        connection = try DaemonConnector(
            paths: OffstagePaths(environment: environment),
            environment: environment,
            client: "WireApp",
            startsDaemon: false
        ).connect()
        (app, journal) = try connection.openApp()
        nextTask = try connection.send(OpenSession(identifier: identifier)).highestTask + 1
    }

    deinit { close(journal) }

    /// Hands over uploads of a file, with their task numbers appended to the URL.
    func upload(_ path: String, to url: String, count: Int) throws {
        var status = stat()
        stat(path, &status)
        let identity = FileIdentity(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        )
        var bytes: [UInt8] = []
        for _ in 0..<count {
            var spec = TransferSpec(
                direction: .upload(.init(path: path, identity: identity)),
                url: try RequestURL("\(url)\(nextTask)"),
                owner: app.app
            )
            spec.sessionTask = SessionTaskKey(session: identifier, task: nextTask)
            nextTask += 1
            sequence += 1
            bytes += try JournalRecord(.submit(spec), sequence: sequence).encoded()
        }
        flock(journal, LOCK_EX)
        _ = write(journal, bytes, bytes.count)
        flock(journal, LOCK_UN)
        try connection.ring()
    }
}
