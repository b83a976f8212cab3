// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCommands
import OffstageCore
import OffstageProtocol

/// Sends updates to pages. Observes the daemon only while there is a page. Belongs to the loop's thread.
final class PageWatch {
    /// Seconds between two requests for the daemon's counts, while something changes.
    private static let stateInterval = 1.0
    /// Seconds without news after which a page is sent a comment.
    private static let silence = 15.0
    /// Seconds between two attempts to reconnect to the daemon.
    private static let retry = 1.0
    /// The most transfers in a page's snapshot.
    private static let mostRows = 300

    private let knowsFleet: () -> Bool
    private let connect: () throws(OffstageError) -> DaemonConnection
    /// The connection to the daemon, to be polled along with the streams' sockets; nil if there is none.
    private(set) var line: DaemonLine?
    private(set) var streams: [PageStream] = []
    private var news = PageNews()
    private var stateDue: Double?
    private var commentDue: Double?
    private var retryDue: Double?
    /// Why the daemon cannot be reached, as last sent to pages.
    private var trouble: String?
    private var isOver = false

    /// - Parameters:
    ///   - knowsFleet: whether this user's commands are for a fleet.
    ///   - connect: connects to a running daemon, and does not start one.
    init(_ knowsFleet: @escaping () -> Bool, _ connect: @escaping () throws(OffstageError) -> DaemonConnection) {
        self.knowsFleet = knowsFleet
        self.connect = connect
    }

    /// When the next action is due; nil if none is.
    var due: Double? {
        [news.due, news.snapshotDue, stateDue, commentDue, retryDue, line?.due].compactMap { $0 }.min()
    }

    // MARK: Pages

    func open(_ stream: PageStream) {
        guard !isOver else { return stream.end() }
        if streams.count >= PageBounds.streams { streams.removeFirst().end() }
        streams.append(stream)
        trouble = nil
        commentDue = commentDue ?? PageClock.now + Self.silence
        if line == nil { reach() } else { show(to: [stream]) }
    }

    func close(_ stream: PageStream) {
        stream.forget()
        streams.removeAll { $0 === stream }
        guard streams.isEmpty else { return }
        line?.end(OffstageError(.connectionLost, "its socket"))
        line = nil
        news = PageNews()
        (stateDue, commentDue, retryDue) = (nil, nil, nil)
    }

    /// Ends the stream of a browser that has gone.
    func left(_ socket: Int32) { for stream in streams where stream.socket == socket { stream.end() } }

    /// Ends all streams, and every later one.
    func endAll() {
        isOver = true
        for stream in streams { stream.end() }
    }

    private func send(_ document: NewsDocument, _ streams: [PageStream]) {
        guard let json = try? JSONText.of(document) else { return }
        for stream in streams { stream.send(json) }
        if !self.streams.isEmpty { commentDue = PageClock.now + Self.silence }
    }

    // MARK: The daemon

    /// Starts observing the daemon, or schedules another attempt.
    private func reach() {
        retryDue = nil
        do throws(OffstageError) {
            line = DaemonLine(try connect())
            line?.put(WatchTasks(limit: 1)) { _ in }
            show(to: streams)
        } catch {
            lose(error)
        }
    }

    private func lose(_ error: OffstageError) {
        let lost = line
        line = nil
        lost?.end(error)
        guard !streams.isEmpty else { return }
        retryDue = PageClock.now + Self.retry
        guard trouble != error.description else { return }
        trouble = error.description
        var document = NewsDocument()
        document.trouble = error.description
        send(document, streams)
    }

    /// Sends everything that is under way; changes follow.
    private func show(to streams: [PageStream]) {
        let asked = line
        line?.put(WatchTransfers(ids: nil)) { [weak self] result in
            guard let self else { return }
            switch result {
            // Without this answer, later events cannot be trusted, so it reconnects.
            case .failure(let error): if line === asked { lose(error) }
            case .success(let reply):
                trouble = nil
                var document = NewsDocument()
                document.snapshot = reply.rows.prefix(Self.mostRows).map(PageTransfer.init)
                document.trouble = ""
                send(document, streams)
            }
        }
        askState(streams)
    }

    private func askState(_ streams: [PageStream]) {
        let asked = line
        line?.put(GetStatus()) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let error): if error.code == .timedOut, line === asked { lose(error) }
            case .success(let status):
                var document = NewsDocument()
                document.state = StateDocument(status, hasFleet: knowsFleet())
                send(document, streams)
            }
        }
    }

    /// Processes the daemon's messages, and performs the actions that are due.
    ///
    /// - Parameter isReadable: whether the descriptor is readable.
    func turn(isReadable: Bool) {
        let now = PageClock.now
        if let line {
            do throws(OffstageError) {
                if isReadable {
                    try line.receive { if $0.name == TaskEvent.name { news.tasksChanged(now: now) } }
                }
                while let event = line.takeEvent() {
                    news.add(event, now: now)
                    if case .progress = event { continue }
                    // A user who has acted should see the counts soon.
                    stateDue = stateDue ?? now + Self.stateInterval
                }
                line.proceed()
            } catch {
                lose(error)
            }
        }
        if let bulletin = news.bulletin(now: now) { send(NewsDocument(bulletin), streams) }
        if news.takesSnapshot(now: now) { show(to: streams) }
        if let due = stateDue, due <= now {
            stateDue = nil
            askState(streams)
        }
        if let due = commentDue, due <= now {
            for stream in streams { stream.comment() }
            commentDue = now + Self.silence
        }
        if let due = retryDue, due <= now { reach() }
    }

    /// Requests the daemon's state soon, since the user has changed something.
    func stateChanged() { if line != nil { stateDue = PageClock.now } }
}
