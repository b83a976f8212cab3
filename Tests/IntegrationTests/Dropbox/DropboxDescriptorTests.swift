// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import OffstageTestSupport
import Testing

/// A daemon that cannot open any more files in the middle of an upload to Dropbox.
struct DropboxDescriptorTests {
    /// The emulator's gate at the opening of a session.
    private struct Door: Sendable {
        var isReached = false
        var isOpen = false
    }

    @Test func `an upload whose file cannot be opened once more goes on, and later to its end`() throws {
        let daemon = try DaemonFixture()
        let door = Monitor(Door())
        defer { door.withLock { $0.isOpen = true } }
        var configuration = DropboxEmulatorServer.Configuration()
        configuration.onRequest = { request in
            guard request.path.hasSuffix("/upload_session/start") else { return }
            door.withLock { $0.isReached = true }
            _ = door.wait(TimeLimit(seconds: 60)) { $0.isOpen ? true : nil }
        }
        let emulator = try DropboxEmulatorServer(configuration)
        try daemon.signIn(to: emulator)
        try TestFiles.makeRandom(daemon.path("big.bin"), bytes: 120 << 20, seed: 1)
        let id = try daemon.submit("upload", "--connections", "1", "big.bin", "dropbox:/big")
        let isReached = door.wait(TimeLimit(seconds: 60)) { $0.isReached ? true : nil }
        try #require(isReached == true)

        // While the session is requested, the first 64 MiB are hashed, and the rest later with the chunks. Before the
        // hashing has begun, nothing could be hashed at all; while it continues, its descriptor would become free.
        let process = try daemon.daemon().processID
        try eventually("the first 64 MiB are hashed") {
            try bytesRead(by: process) >= 64 << 20 && openings(of: "big.bin", in: process) == 1 ? true : nil
        }
        let usual = try limitDescriptors(of: process, to: try firstFree(in: process))
        door.withLock { $0.isOpen = true }
        try eventually("the first chunk has arrived") { emulator.record.answers(.append, 200) >= 1 ? true : nil }
        _ = try limitDescriptors(of: process, to: usual)

        #expect(try daemon.wait(id).isSuccess)
        #expect(emulator.file("/big")?.size == 120 << 20)
        #expect(emulator.record.commits == 1)
        #expect(emulator.record.bytesReceivedTwice == 0, "nothing was broken off")
    }

    /// Bytes that a process has read so far, from files and other sources.
    private func bytesRead(by process: Int32) throws -> Int {
        let line = try TestFiles.text("/proc/\(process)/io").split(separator: "\n").first { $0.hasPrefix("rchar:") }
        return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
    }

    /// The number of a process's descriptors for files with this name.
    private func openings(of name: String, in process: Int32) throws -> Int {
        let links = try ChildProcess.run("/usr/bin/find", ["/proc/\(process)/fd", "-lname", "*/\(name)"])
        return links.lines.count
    }

    /// The number that a process's next descriptor would have.
    private func firstFree(in process: Int32) throws -> Int {
        let open = Set(TestFiles.names(in: "/proc/\(process)/fd").compactMap { Int($0) })
        return try #require((0...open.count).first { !open.contains($0) })
    }

    /// Changes a process's limit of descriptors; returns the previous limit.
    private func limitDescriptors(of process: Int32, to count: Int) throws -> Int {
        let line = try TestFiles.text("/proc/\(process)/limits").split(separator: "\n").first {
            $0.hasPrefix("Max open files")
        }
        let before = try #require(line?.split(separator: " ").compactMap { Int($0) }.first)
        let result = try ChildProcess.run("/usr/bin/prlimit", ["--pid", "\(process)", "--nofile=\(count):"])
        try #require(result.isSuccess, "\(result)")
        return before
    }
}
