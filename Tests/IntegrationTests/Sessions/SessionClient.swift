// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport

/// An app's side of background sessions, frame by frame: this process is the app. Used by one test at a time.
final class SessionClient {
    let app: OpenApp.Reply
    private let socket: Int32
    private(set) var journal: Int32
    private var decoder: FrameDecoder
    private var exchange: UInt32
    private var events: [SessionEvent] = []
    private(set) var sequence: UInt64 = 0

    /// Connects, greets and identifies as this process's app.
    convenience init(_ daemon: DaemonFixture) throws {
        try self.init(connection: try LoopbackSocket.connect(path: daemon.socketPath))
    }

    /// Greets and identifies as the app whose process made the connection; closes it in the end.
    init(connection: Int32) throws {
        socket = connection
        decoder = FrameDecoder()
        exchange = 0
        journal = -1
        do {
            _ = try Self.ask(socket, &decoder, &exchange, Hello(client: "tests"))
            let opened = try Self.ask(socket, &decoder, &exchange, OpenApp())
            app = opened.reply
            journal = opened.descriptor
        } catch {
            close(socket)
            throw error
        }
        guard journal >= 0 else { throw TestError("No journal came with the reply to app.open.") }
    }

    deinit { hangUp() }

    /// Ends the connection as a process's death would.
    func hangUp() {
        guard journal >= 0 else { return }
        close(socket)
        close(journal)
        journal = -1
    }

    func send<Request: WireRequest>(_ request: Request) throws -> Request.Reply {
        let answer = try Self.ask(socket, &decoder, &exchange, request)
        events += answer.events
        return answer.reply
    }

    // MARK: The journal

    /// Appends records according to the protocol, without ringing. Returns false if the journal is sealed.
    @discardableResult
    func append(_ entries: [JournalEntry]) throws -> Bool {
        var bytes: [UInt8] = []
        for entry in entries {
            sequence += 1
            bytes += try JournalRecord(entry, sequence: sequence).encoded()
        }
        return append(bytes: bytes)
    }

    /// Appends bytes as they are.
    @discardableResult
    func append(bytes: [UInt8]) -> Bool {
        flock(journal, LOCK_EX)
        defer { flock(journal, LOCK_UN) }
        var status = stat()
        guard fstat(journal, &status) == 0, status.st_mode & S_IWUSR != 0 else { return false }
        return write(journal, bytes, bytes.count) == bytes.count
    }

    func ring() throws {
        let frame = WireFrame(kind: .request, exchange: 0, name: Ring.name, payload: Array("{}".utf8))
        try LoopbackSocket.send(frame.encoded(), to: socket)
    }

    /// Hands over records and waits until they are on the disk.
    func handOver(_ entries: JournalEntry...) throws {
        try append(entries)
        try ring()
        try waitForCommit(of: sequence)
    }

    func waitForCommit(of sequence: UInt64) throws {
        _ = try event("the commit of \(sequence)") { if case .committed(sequence...) = $0 { true } else { nil } }
    }

    /// The journal's length in bytes.
    var journalLength: Int64 {
        var status = stat()
        return fstat(journal, &status) == 0 ? Int64(status.st_size) : -1
    }

    // MARK: Events

    /// Waits for the first event that `take` accepts, and keeps the other events.
    func event<Value>(_ what: String, within seconds: Double = 20, _ take: (SessionEvent) -> Value?) throws -> Value {
        let limit = TimeLimit(seconds: seconds)
        var looked = 0
        while true {
            while looked < events.count {
                if let value = take(events[looked]) {
                    events.remove(at: looked)
                    return value
                }
                looked += 1
            }
            guard let frame = try Self.nextFrame(socket, &decoder, limit)?.frame else {
                throw TestError("Waited \(seconds) s in vain for \(what); there were \(events.suffix(3)).")
            }
            if let event = try Self.event(frame) { events.append(event) }
        }
    }

    /// Waits for the end of a task.
    func end(of task: Int, in session: String = "s") throws -> SessionTaskEnd {
        try event("the end of task \(task)") {
            if case .ended(let end) = $0, end.key == SessionTaskKey(session: session, task: task) { end } else { nil }
        }
    }

    /// Ends that arrived without a waiter.
    var heardEnds: [SessionTaskEnd] { events.compactMap { if case .ended(let end) = $0 { end } else { nil } } }

    /// Questions that arrived without a waiter.
    var heardQuestions: Int { events.count { if case .question = $0 { true } else { false } } }

    // MARK: Specifications

    func upload(_ task: Int, _ path: String, to url: String, session: String = "s") throws -> TransferSpec {
        var status = stat()
        guard stat(path, &status) == 0 else { throw TestError.system("\(path) cannot be looked at") }
        let identity = FileIdentity(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        )
        var spec = TransferSpec(
            direction: .upload(.init(path: path, identity: identity)),
            url: try RequestURL(url),
            owner: app.app
        )
        spec.sessionTask = SessionTaskKey(session: session, task: task)
        return spec
    }

    func download(_ task: Int, from url: String, session: String = "s") throws -> TransferSpec {
        var spec = TransferSpec(
            direction: .download(.init(path: app.downloads + "/CFNetworkDownload_\(task).tmp")),
            url: try RequestURL(url),
            owner: app.app
        )
        spec.sessionTask = SessionTaskKey(session: session, task: task)
        return spec
    }

    // MARK: Frames

    private struct Answer<Reply> {
        var reply: Reply
        var events: [SessionEvent]
        var descriptor: Int32
    }

    private static func ask<Request: WireRequest>(
        _ socket: Int32,
        _ decoder: inout FrameDecoder,
        _ exchange: inout UInt32,
        _ request: Request
    ) throws -> Answer<Request.Reply> {
        exchange += 1
        let payload = try WireCoding.encode(request)
        let question = WireFrame(kind: .request, exchange: exchange, name: Request.name, payload: payload)
        try LoopbackSocket.send(question.encoded(), to: socket)
        let limit = TimeLimit(seconds: 20)
        var events: [SessionEvent] = []
        var descriptor: Int32 = -1
        while true {
            guard let (frame, came) = try nextFrame(socket, &decoder, limit) else {
                throw TestError("The daemon did not answer '\(Request.name)'.")
            }
            if came >= 0 { descriptor = came }
            if let event = try event(frame) {
                events.append(event)
                continue
            }
            if frame.kind == .failure { throw try WireCoding.decode(WireFailure.self, from: frame.payload) }
            return Answer(
                reply: try WireCoding.decode(Request.Reply.self, from: frame.payload),
                events: events,
                descriptor: descriptor
            )
        }
    }

    private static func event(_ frame: WireFrame) throws -> SessionEvent? {
        guard frame.kind == .event, frame.name == SessionEvent.name else { return nil }
        return try WireCoding.decode(SessionEvent.self, from: frame.payload)
    }

    private static func nextFrame(
        _ socket: Int32,
        _ decoder: inout FrameDecoder,
        _ limit: TimeLimit
    ) throws -> (frame: WireFrame, descriptor: Int32)? {
        var descriptor: Int32 = -1
        while true {
            if let frame = try decoder.next() { return (frame, descriptor) }
            var item = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&item, 1, limit.milliseconds) > 0 else { return nil }
            var came: Int32 = -1
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = offstage_receive_descriptor(socket, &buffer, buffer.count, &came)
            if came >= 0 { descriptor = came }
            guard count > 0 else { throw TestError("The daemon has hung up.") }
            decoder.append(buffer[..<count])
        }
    }
}
