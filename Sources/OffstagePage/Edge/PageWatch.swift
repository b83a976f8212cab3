// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCommands
import OffstageCore
import OffstageProtocol

/// Tells pages what happens. The daemon is observed only while there is one. Belongs to the thread of the loop.
final class PageWatch {
    /// Seconds between two looks at the daemon's counts, while something changes.
    private static let stateInterval = 1.0
    /// Seconds after which a page that was told nothing is told that.
    private static let silence = 15.0
    /// Seconds between two attempts to reach a daemon that has gone.
    private static let retry = 1.0
    /// The most transfers that a page is shown at first.
    private static let mostRows = 300

    private let knowsFleet: () -> Bool
    private let connect: () throws(OffstageError) -> DaemonConnection
    /// The connection to the daemon, to be polled besides the streams' sockets; nil for none.
    private(set) var line: DaemonLine?
    private(set) var streams: [PageStream] = []
    private var news = PageNews()
    private var stateDue: Double?
    private var commentDue: Double?
    private var retryDue: Double?
    /// What pages were told last of why the daemon cannot be reached.
    private var trouble: String?
    private var isOver = false

    /// - Parameters:
    ///   - knowsFleet: whether this user's commands are for a fleet.
    ///   - connect: makes a connection to a daemon that runs, and starts none.
    init(_ knowsFleet: @escaping () -> Bool, _ connect: @escaping () throws(OffstageError) -> DaemonConnection) {
        self.knowsFleet = knowsFleet
        self.connect = connect
    }

    /// When there is something to do; nil for never.
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

    /// The browser behind a socket has gone.
    func left(_ socket: Int32) { for stream in streams where stream.socket == socket { stream.end() } }

    /// Ends all of them, and each that comes later.
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

    /// Begins to observe, or plans another attempt.
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

    /// Shows everything that is under way; from then on its changes follow.
    private func show(to streams: [PageStream]) {
        let asked = line
        line?.put(WatchTransfers(ids: nil)) { [weak self] result in
            guard let self else { return }
            switch result {
            // Without an answer nothing that follows can be trusted: the daemon is reached anew.
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

    /// Takes what the daemon says, and does what is due.
    ///
    /// - Parameter isReadable: whether the descriptor is.
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
                    // A person who has acted sees the counts soon.
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

    /// Asks for the daemon's state soon, since a person has changed something.
    func stateChanged() { if line != nil { stateDue = PageClock.now } }
}
