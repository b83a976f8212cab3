// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// One run of `offstage-fleet`, or of this program itself: two pipes and a process, none of which is waited for. Belongs to
/// the thread of the loop.
final class FleetRun {
    private let process: pid_t
    /// Readable when it has ended; -1 where the kernel has none, and it is looked at now and then.
    private let pidfd: Int32
    private var output: Stream
    private var errors: Stream
    private let end: Double
    /// Nil once somebody was told.
    private var receive: ((FleetRunEnd) -> Void)?
    private(set) var isOver = false

    /// Seconds between two looks at a process that has no descriptor, or was told to end.
    private static let interval = 0.2
    private static let mostErrors = 16 << 10

    /// Bytes that come through a pipe, as far as they are kept.
    private struct Stream {
        let descriptor: Int32
        let most: Int
        var bytes: [UInt8] = []
        var isOpen = true
        var isTooLong = false

        /// Takes what is there.
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
    ///   - words: its words.
    ///   - environment: its environment.
    ///   - limit: the most bytes of an answer.
    ///   - patience: seconds.
    ///   - take: told once what has become of it.
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

    /// A pipe of which neither end is passed on, and of which the first does not wait.
    private static func pipe() -> (reading: Int32, writing: Int32)? {
        var ends: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutableBytes(of: &ends) {
            offstage_pipe($0.baseAddress?.assumingMemoryBound(to: Int32.self))
        }
        guard result == 0 else { return nil }
        _ = fcntl(ends.0, F_SETFL, O_NONBLOCK)
        return ends
    }

    /// What to wait for.
    var descriptors: [Int32] {
        let streams = receive == nil ? [] : [output, errors].filter { $0.isOpen && !$0.isTooLong }.map(\.descriptor)
        return streams + (pidfd >= 0 ? [pidfd] : [])
    }

    /// When to look again in any case.
    var due: Double { pidfd >= 0 && receive != nil ? end : PageClock.now + Self.interval }

    /// Takes what has come.
    func turn(now: Double) {
        // An ended process writes no more: what it has written is read after its end was seen.
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

    /// Ends it. Its process is gone a moment later.
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
