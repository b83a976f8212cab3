// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageOS
import OffstageTestSupport
import Testing

/// Lines on standard error, of any kind.
@Suite struct StandardErrorTests {
    @Test func `a pipe that nobody empties loses lines, says so, and holds nobody up`() throws {
        let pipe = try Ends()
        let errors = StandardError(descriptor: pipe.write)
        for number in 0..<3000 { errors.write("line \(number) \(String(repeating: "x", count: 90))\n") }
        let first = pipe.take().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(first.count > 100 && first.dropLast().allSatisfy { $0.hasPrefix("line ") })
        errors.write("after\n")
        let lost = 3000 - (first.count - 1)
        #expect(pipe.take() == "os: lost entries, since nobody read in time: \(lost)\nafter\n")
        errors.write("and on\n")
        #expect(pipe.take() == "and on\n")
    }

    @Test func `what does not fit into a pipe is broken off, and the next line is its own`() throws {
        let pipe = try Ends()
        let errors = StandardError(descriptor: pipe.write)
        errors.write(String(repeating: "x", count: 300_000) + "\n")
        #expect(pipe.take().count >= 4096)
        errors.write("after\n")
        #expect(pipe.take() == "\nos: lost entries, since nobody read in time: 1\nafter\n")
    }

    @Test func `a pipe without a reader is no signal`() throws {
        let pipe = try Ends()
        pipe.closeReader()
        let errors = StandardError(descriptor: pipe.write)
        // The signal would end the tests.
        for _ in 0..<10 { errors.write("line\n") }
    }

    @Test func `a socket, and what is closed, hold nobody up`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        let errors = StandardError(descriptor: ends[0])
        errors.write("line\n")
        var bytes = [UInt8](repeating: 0, count: 100)
        #expect(recv(ends[1], &bytes, 100, Int32(MSG_DONTWAIT)) == 5)
        for _ in 0..<100_000 { errors.write("line that nobody reads\n") }
        close(ends[1])
        errors.write("line\n")
        close(ends[0])
        StandardError(descriptor: -1).write("line\n")
    }

    @Test func `lines of many threads are whole`() throws {
        let file = try LogFile()
        let log = file.log()
        let finished = Monitor(0)
        for thread in 0..<4 {
            try TestThread.start {
                for number in 0..<500 { Logger(log).error("\(thread) \(number) end") }
                finished.withLock { $0 += 1 }
            }
        }
        try #require(finished.wait(TimeLimit(seconds: 60)) { $0 == 4 ? true : nil } == true)
        let messages = file.messages
        #expect(
            messages.count == 2000 && messages.allSatisfy { $0.hasPrefix("error sub:cat: ") && $0.hasSuffix(" end") }
        )
        #expect(Set(messages).count == 2000)
    }

    /// The ends of a pipe.
    private final class Ends {
        private(set) var read: Int32
        let write: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw TestError.system("No pipe can be made") }
            read = ends[0]
            write = ends[1]
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }

        deinit {
            closeReader()
            close(write)
        }

        func closeReader() {
            if read >= 0 { close(read) }
            read = -1
        }

        /// Takes the pipe's contents.
        func take() -> String {
            var all: [UInt8] = []
            var bytes = [UInt8](repeating: 0, count: 65_536)
            var item = pollfd(fd: read, events: Int16(POLLIN), revents: 0)
            while poll(&item, 1, 0) == 1 {
                let count = Glibc.read(read, &bytes, bytes.count)
                guard count > 0 else { break }
                all += bytes[..<count]
            }
            return String(decoding: all, as: UTF8.self)
        }
    }
}
