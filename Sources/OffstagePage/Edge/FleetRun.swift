// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// One run of `offstage-fleet`, or of this program itself: two pipes and a process, none of which blocks. Belongs to
/// the loop's thread.
final class FleetRun {
    private let process: pid_t
    /// Readable once the process has ended; -1 if the kernel does not support pidfds, and the process is polled.
    private let pidfd: Int32
    private var output: Stream
    private var errors: Stream
    private let end: Double
    /// Nil once the end was reported.
    private var receive: ((FleetRunEnd) -> Void)?
    private(set) var isOver = false

    /// Seconds between two checks of a process that has no descriptor, or that was killed.
    private static let interval = 0.2
    private static let mostErrors = 16 << 10

    /// The bytes kept from a pipe.
    private struct Stream {
        let descriptor: Int32
        let most: Int
        var bytes: [UInt8] = []
        var isOpen = true
        var isTooLong = false

        /// Reads the available bytes.
        mutating func read() {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while isOpen, !isTooLong {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN { return }
                guard count > 0 else {
                    isOpen = false
                    return
                }
                isTooLong = bytes.count + count > most  // checked: both are small
                if !isTooLong { bytes += buffer.prefix(count) }
            }
        }
    }

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - program: its path.
    ///   - words: its arguments.
    ///   - environment: its environment.
    ///   - limit: the most bytes of an answer.
    ///   - patience: the time limit, in seconds.
    ///   - take: receives the result, once.
    ///
    /// Nil with errno if it cannot be started.
    init?(
        _ program: String,
        _ words: [String],
        _ environment: [String: String],
        limit: Int,
        patience: Double,
        _ take: @escaping (FleetRunEnd) -> Void
    ) {
        guard let said = Self.pipe() else { return nil }
        guard let complained = Self.pipe() else {
            let code = errno
            for descriptor in [said.reading, said.writing] { close(descriptor) }
            errno = code
            return nil
        }
        let arguments: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in [arguments, variables].joined() { free(text) } }
        process = offstage_spawn(program, arguments, variables, "/", -1, said.writing, complained.writing)
        let code = errno
        for descriptor in [said.writing, complained.writing] { close(descriptor) }
        guard process > 0 else {
            for descriptor in [said.reading, complained.reading] { close(descriptor) }
            errno = code
            return nil
        }
        pidfd = offstage_pidfd_open(process)
        output = Stream(descriptor: said.reading, most: limit)
        errors = Stream(descriptor: complained.reading, most: Self.mostErrors)
        end = PageClock.now + patience
        self.receive = take
    }

    deinit {
        for descriptor in [pidfd, output.descriptor, errors.descriptor] where descriptor >= 0 { close(descriptor) }
    }

    /// Creates a pipe whose ends are not inherited. Its reading end does not block.
    private static func pipe() -> (reading: Int32, writing: Int32)? {
        var ends: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutableBytes(of: &ends) {
            offstage_pipe($0.baseAddress?.assumingMemoryBound(to: Int32.self))
        }
        guard result == 0 else { return nil }
        _ = fcntl(ends.0, F_SETFL, O_NONBLOCK)
        return ends
    }

    /// The descriptors to poll.
    var descriptors: [Int32] {
        let streams = receive == nil ? [] : [output, errors].filter { $0.isOpen && !$0.isTooLong }.map(\.descriptor)
        return streams + (pidfd >= 0 ? [pidfd] : [])
    }

    /// When to check again at the latest.
    var due: Double { pidfd >= 0 && receive != nil ? end : PageClock.now + Self.interval }

    /// Reads the output, and checks whether the process has ended.
    func turn(now: Double) {
        // An ended process writes nothing more, so its output is read after its end was observed.
        var status: Int32 = 0
        let isEnded = waitpid(process, &status, WNOHANG) != 0
        if receive != nil {
            output.read()
            errors.read()
        }
        if isEnded {
            isOver = true
            // The low seven bits are a signal's number, the next eight the exit status (wait(2)).
            report(
                status & 0x7F == 0 ? .exited(status >> 8 & 0xFF, output: output.bytes, errors: errors.bytes) : .killed
            )
        } else if output.isTooLong || errors.isTooLong {
            stop(.tooLong)
        } else if now >= end {
            stop(.late)
        }
    }

    /// Ends the run. Its process is gone a moment later.
    func stop(_ why: FleetRunEnd) {
        guard receive != nil else { return }
        kill(process, SIGKILL)
        report(why)
    }

    private func report(_ what: FleetRunEnd) {
        let told = receive
        receive = nil
        told?(isOver && output.isTooLong ? .tooLong : what)
    }
}
