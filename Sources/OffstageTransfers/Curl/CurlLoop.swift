// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageRuntime

/// The engine's thread: takes orders, lets libcurl work, and delivers events, turn by turn.
///
/// It sleeps in epoll_wait until an order, a socket or a timer is ready. While nothing runs, the only timer is the one
/// that closes idle connections, so an idle engine never wakes.
final class CurlLoop {
    let mailbox: CurlMailbox
    let turn = LoopTurn()
    var running: [RequestKey: CurlAttempt] = [:]
    /// The running attempts that have a bandwidth limit.
    var limited: [RequestKey: CurlAttempt] = [:]
    /// Created for the first attempt after a quiet time.
    var multi: CurlMulti?
    var spareHandles: [CurlHandle] = []
    /// When progress is checked next, set by the first event since the last check.
    var progressDue: ContinuousClock.Instant?
    /// When the attempt that has been silent longest must be checked.
    var silenceDue: ContinuousClock.Instant?
    /// When the first attempt that pauses for its bandwidth limit resumes.
    var resumeDue: ContinuousClock.Instant?
    /// When idle connections are closed.
    var quietDue: ContinuousClock.Instant?
    /// The current time, read once a turn.
    var now: ContinuousClock.Instant = .now
    let epoll: Int32
    /// How long connections and handles are kept after the last attempt.
    let quietTime: Duration
    private let deliver: @Sendable ([EngineEvent]) -> Void
    private var isShutDown = false

    static let progressInterval: Duration = .milliseconds(250)
    static let bellToken = UInt64.max
    private static let eventCapacity = 64

    /// Creates the epoll instance that watches for orders.
    static func makeEpoll(hearing mailbox: CurlMailbox) throws(EngineError) -> Int32 {
        let epoll = offstage_epoll_create()
        guard epoll >= 0 else { throw .noDescriptor(errno) }
        guard offstage_epoll_ctl(epoll, offstage_epoll_add, mailbox.bell, offstage_epoll_in, bellToken) == 0 else {
            defer { close(epoll) }
            throw .noDescriptor(errno)
        }
        return epoll
    }

    /// `epoll` comes from `makeEpoll` and is closed with the loop.
    init(mailbox: CurlMailbox, epoll: Int32, quietTime: Duration, deliver: @escaping @Sendable ([EngineEvent]) -> Void)
    {
        self.mailbox = mailbox
        self.quietTime = quietTime
        self.deliver = deliver
        self.epoll = epoll
    }

    deinit {
        spareHandles = []
        multi = nil
        close(epoll)
    }

    /// Runs until the order to shut down.
    func run() {
        let tokens = UnsafeMutablePointer<UInt64>.allocate(capacity: Self.eventCapacity)
        let events = UnsafeMutablePointer<UInt32>.allocate(capacity: Self.eventCapacity)
        defer {
            tokens.deallocate()
            events.deallocate()
        }
        while !isShutDown {
            let yielded = turn.takeYielded()
            let wait = yielded.isEmpty ? waitMilliseconds() : 0
            let count = offstage_epoll_wait(epoll, tokens, events, Int32(Self.eventCapacity), wait)
            now = .now
            for index in 0..<Int(max(0, count)) {
                if tokens[index] == Self.bellToken {
                    takeOrders()
                } else {
                    multi?.socketIsReady(Int32(truncatingIfNeeded: tokens[index]), events: events[index])
                    if progressDue == nil { progressDue = now + Self.progressInterval }
                }
            }
            for attempt in yielded where running[attempt.key] === attempt {
                attempt.goOn()
                endIfRefused(attempt)
            }
            let timerRan = multi?.runTimer() ?? false
            multi?.poll(now: now)
            // On a reused connection libcurl may read everything without a socket event.
            if progressDue == nil, timerRan || !yielded.isEmpty { progressDue = now + Self.progressInterval }
            finishEnded()
            runTimers()
            findPauses()
            let happened = turn.takeEvents()
            if !happened.isEmpty { deliver(happened) }
        }
    }

    private func takeOrders() {
        for order in mailbox.takeAll() {
            switch order {
            case .start(let request): Doing.transfer(request.id, .attempt) { start(request) }
            case .stop(let key): stop(key)
            case .setRateLimit(let key, let limit): setRateLimit(limit, of: key)
            case .setEnd(let key, let end): setEnd(end, of: key)
            case .answer: break
            case .shutDown:
                for key in Array(running.keys) { stop(key) }
                isShutDown = true
            }
        }
    }

    /// How long the loop may sleep, in milliseconds; -1 until something happens.
    private func waitMilliseconds() -> Int32 {
        let times = [multi?.timer, multi?.pollDue, progressDue, silenceDue, resumeDue, quietDue].compactMap { $0 }
        guard let first = times.min() else { return -1 }
        let left = ContinuousClock.now.duration(to: first)
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        // Rounded up: waking a moment early would spin until the time is reached.
        return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}
