// SPDX-License-Identifier: Apache-2.0
import OffstageRuntime

/// A queue of requests to a thread or loop that serves many at a time.
protocol StoreLine<Request>: Sendable {
    associatedtype Request: Sendable
    /// Sends a request; false if it will not be served because the line is closed.
    func send(_ request: Request) -> Bool
    /// Accepts no more requests. Blocks until all accepted requests have been served.
    func close()
}

/// A line to a dedicated thread.
final class ThreadLine<Request: Sendable>: StoreLine {
    private let mailbox: Mailbox<Request>
    private let thread: SystemThread

    /// - Parameter run: serves the mailbox on the thread until the mailbox is closed.
    /// - Throws: if the system refuses a thread.
    init(_ run: sending @escaping (Mailbox<Request>) -> Void) throws(SystemThread.Refusal) {
        let mailbox = Mailbox<Request>()
        self.mailbox = mailbox
        thread = try SystemThread("store") { run(mailbox) }
    }

    func send(_ request: Request) -> Bool { mailbox.send(request) }

    func close() {
        mailbox.close()
        thread.join()
    }
}

/// A line to a later turn of the loop that the requests come from, in virtual time.
///
/// `@unchecked Sendable`: belongs to the loop.
final class LoopLine<Request: Sendable>: StoreLine, @unchecked Sendable {
    private let loop: EventLoop
    private let latency: @Sendable () -> Double
    /// Serves a batch; returns whether there is more to do when no requests are waiting.
    private let serve: ([Request]) -> Bool
    private let end: () -> Void
    private var requests: [Request] = []
    private var isScheduled = false
    private var isClosed = false

    init(
        _ loop: EventLoop,
        latency: @escaping @Sendable () -> Double,
        serve: @escaping ([Request]) -> Bool,
        end: @escaping () -> Void
    ) {
        self.loop = loop
        self.latency = latency
        self.serve = serve
        self.end = end
    }

    func send(_ request: Request) -> Bool {
        guard !isClosed else { return false }
        requests.append(request)
        schedule()
        return true
    }

    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        let seconds = latency()
        loop.startTask {
            if seconds > 0 { await self.loop.sleep(seconds: seconds) }
            self.serveAll()
        }
    }

    private func serveAll() {
        isScheduled = false
        guard !isClosed else { return }
        let batch = requests
        requests = []
        if serve(batch) || !requests.isEmpty { schedule() }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        _ = serve(requests)
        requests = []
        end()
    }
}
