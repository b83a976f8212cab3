// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol

/// The frames of one connection: writes requests, and sorts incoming frames into replies and events.
final class Wire {
    private let socket: UnixSocket
    private let path: String
    private let patience: Double
    private var decoder = FrameDecoder()
    private var replies: [WireFrame] = []
    private var events: [TransferEvent] = []
    private var firstEvent = 0
    /// Posted requests: their answers are queued with the sessions' events, in order of arrival.
    private var posted: Set<UInt32> = []
    private var frames: [WireFrame] = []
    /// A descriptor that came with a reply and has not been taken yet.
    private var passed: Int32?
    /// Ends every wait.
    var interruption = Interruption.none

    init(_ socket: consuming UnixSocket, path: String, patience: Double) {
        self.socket = socket
        self.path = path
        self.patience = patience
    }

    deinit { if let passed { close(passed) } }

    var descriptor: Int32 { socket.descriptor }

    /// Sends one request and waits for its answer, for a number of seconds or the usual time.
    func exchange<R: WireRequest>(
        _ request: R,
        number: UInt32,
        within seconds: Double? = nil
    ) throws(OffstageError) -> R.Reply {
        try send(request, number: number)
        return try answer(to: number, as: R.Reply.self, within: seconds ?? patience)
    }

    /// Sends one request, without waiting for its answer.
    func ask(_ request: some WireRequest, number: UInt32) throws(OffstageError) {
        try send(request, number: number)
    }

    /// Waits for the answer to a request that has been sent.
    func answer<Reply: Decodable>(to number: UInt32, as type: Reply.Type) throws(OffstageError) -> Reply {
        try answer(to: number, as: type, within: patience)
    }

    /// Sends one request; its answer is among the frames.
    func post(_ request: some WireRequest, number: UInt32) throws(OffstageError) {
        expect(number)
        try send(request, number: number)
    }

    /// Sends a request that has no answer.
    func ring(_ name: String) throws(OffstageError) {
        do throws(UnixSocket.Failure) {
            let frame = WireFrame(kind: .request, exchange: 0, name: name, payload: Array("{}".utf8))
            try socket.write(frame.encoded())
        } catch {
            throw lost(error.text)
        }
    }

    /// Takes the received answers to posted requests, the events of sessions and tasks, and the commands of a stage, in
    /// order.
    func takeFrames() -> [WireFrame] {
        defer { frames = [] }
        return frames
    }

    func takeDescriptor() -> Int32? {
        defer { passed = nil }
        return passed
    }

    /// Encodes a request as a frame's payload.
    static func payload<R: WireRequest>(of request: R) throws(OffstageError) -> [UInt8] {
        let payload: [UInt8]
        do {
            payload = try WireCoding.encode(request)
        } catch {
            throw OffstageError(
                .internalError,
                "The request '\(R.name)' could not be written (\(error)): please report this."
            )
        }
        guard payload.count + R.name.utf8.count + 6 <= WireFrame.maximumLength else {
            throw OffstageError(
                .badRequest,
                "The request '\(R.name)' is too long to send: hand over fewer things at once."
            )
        }
        return payload
    }

    /// Decodes an answer's payload as the reply to a request.
    static func reply<R: WireRequest>(to request: R.Type, _ payload: [UInt8]) -> Result<R.Reply, OffstageError> {
        do {
            return .success(try WireCoding.decodeFromDaemon(R.Reply.self, from: payload))
        } catch {
            let sentence = "The daemon's answer to \(R.name) cannot be read: please report this."
            return .failure(OffstageError(.internalError, sentence))
        }
    }

    /// Makes the next answer with this number join the sessions' events.
    func expect(_ number: UInt32) { posted.insert(number) }

    /// Sends as many bytes as the socket accepts, without waiting; nil if the peer is gone.
    func sendAvailable(_ bytes: ArraySlice<UInt8>) -> Int? { socket.writeAvailable(bytes) }

    private func send<R: WireRequest>(_ request: R, number: UInt32) throws(OffstageError) {
        let payload = try Self.payload(of: request)
        do throws(UnixSocket.Failure) {
            try socket.write(WireFrame(kind: .request, exchange: number, name: R.name, payload: payload).encoded())
        } catch {
            // A daemon that refuses a connection sends the reason before closing it.
            if let refusal = pendingRefusal() { throw OffstageError(refusal) }
            throw lost(error.text)
        }
    }

    /// Waits for the answer to a request that has been sent, for a number of seconds.
    func answer<Reply: Decodable>(
        to number: UInt32,
        as type: Reply.Type,
        within seconds: Double
    ) throws(OffstageError) -> Reply {
        let end = Self.seconds() + seconds
        while true {
            if let index = replies.firstIndex(where: { $0.exchange == number || $0.exchange == 0 }) {
                let frame = replies.remove(at: index)
                do {
                    if frame.kind == .reply { return try WireCoding.decodeFromDaemon(type, from: frame.payload) }
                    throw OffstageError(try WireCoding.decodeFromDaemon(WireFailure.self, from: frame.payload))
                } catch let error as OffstageError {
                    throw error
                } catch {
                    throw lost("its answer could not be read")
                }
            }
            guard try wait(seconds: end - Self.seconds()) else {
                throw lateness(seconds)
            }
            try receive()
        }
    }

    /// Returns a refusal that has arrived although the connection is broken for writing.
    private func pendingRefusal() -> WireFailure? {
        while let isReadable = try? wait(seconds: 0), isReadable, (try? receive()) != nil {}
        guard let frame = replies.first(where: { $0.kind == .failure }) else { return nil }
        return try? WireCoding.decodeFromDaemon(WireFailure.self, from: frame.payload)
    }

    /// Waits until something can be read; false if the time has run out.
    func wait(seconds: Double) throws(OffstageError) -> Bool {
        let milliseconds = Int32(max(0, min(seconds, 2_000_000)) * 1000 + 0.999)
        let isReadable: Bool
        do throws(UnixSocket.Failure) {
            isReadable = try socket.waitReadable(milliseconds: milliseconds, unless: interruption)
        } catch {
            throw lost(error.text)
        }
        if !isReadable { try interruption.check() }
        return isReadable
    }

    /// Reads once and sorts the complete frames.
    func receive() throws(OffstageError) {
        let bytes: [UInt8]
        do throws(UnixSocket.Failure) {
            let received = try socket.read()
            bytes = received.bytes
            if let descriptor = received.passed {
                if let passed { close(passed) }
                passed = descriptor
            }
        } catch {
            throw lost(error.text)
        }
        guard !bytes.isEmpty else { throw lost("it closed the connection") }
        decoder.append(bytes)
        do throws(FrameDecoder.Violation) {
            while let frame = try decoder.next() { sort(frame) }
        } catch {
            throw lost("it sent an invalid frame")
        }
    }

    /// Events that are delivered as frames.
    private static let kept: Set<String> = [
        SessionEvent.name, StageCommand.name, TaskEvent.name, DesktopCommand.name, MemoryToKeep.name,
    ]

    private func sort(_ frame: WireFrame) {
        switch frame.kind {
        case .reply, .failure:
            if posted.remove(frame.exchange) != nil { frames.append(frame) } else { replies.append(frame) }
        case .event where Self.kept.contains(frame.name): frames.append(frame)
        case .event:
            // This version can ignore an event that it does not know.
            guard frame.name == TransferEvent.name,
                let event = try? WireCoding.decodeFromDaemon(TransferEvent.self, from: frame.payload)
            else { return }
            events.append(event)
        case .request: break
        }
    }

    func takeEvent() -> TransferEvent? {
        guard firstEvent < events.count else { return nil }
        let event = events[firstEvent]
        firstEvent += 1
        if firstEvent == events.count {
            events.removeAll(keepingCapacity: true)
            firstEvent = 0
        }
        return event
    }

    /// The error for a missing answer after a number of seconds.
    func lateness(_ seconds: Double) -> OffstageError {
        timeOut("it was given \(Int(seconds.rounded(.up))) s")  // checked: our own number
    }

    func timeOut(_ detail: String) -> OffstageError { OffstageError(.timedOut, path, detail: detail) }

    private func lost(_ detail: String) -> OffstageError { OffstageError(.connectionLost, path, detail: detail) }

    /// Seconds on a monotonic clock.
    static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
