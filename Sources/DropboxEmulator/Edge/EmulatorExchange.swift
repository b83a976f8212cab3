// SPDX-License-Identifier: Apache-2.0

/// One request in progress: its body is received, then it is answered. Used only by the connection's thread, which may
/// block.
final class EmulatorExchange {
    private enum Kind {
        case dropbox(EmulatorCall, BodyReceiver)
        case control([UInt8])
        case sink(ContentHasher)
    }

    private let edge: EmulatorEdge
    private let request: EmulatorRequest
    private var kind: Kind
    /// Nil if the body is read as fast as it arrives.
    private var pace: BodyPace?
    private let latency: Double
    private var isOver = false

    init(_ request: EmulatorRequest, _ edge: EmulatorEdge) {
        self.edge = edge
        self.request = request
        let rules = edge.with { state, _ in state.dropbox.rules }
        latency = rules.latency
        guard !request.path.hasPrefix("/emulator/") else {
            let isSink = request.path == "/emulator/sink"
            kind = isSink ? .sink(ContentHasher()) : .control([])
            pace = isSink ? rules.bytesPerSecond.map(BodyPace.init) : nil
            return
        }
        edge.onRequest?(request)
        let call = edge.with { state, now in state.dropbox.begin(request, now: now) }
        var rate = rules.bytesPerSecond
        if case .slow(_, let limit?)? = call.fault { rate = min(rate ?? limit, limit) }
        pace = rate.map(BodyPace.init)
        kind = .dropbox(call, BodyReceiver(call, folder: edge.folder, limit: rules.maximumBody))
    }

    /// Receives a piece of the body.
    ///
    /// - Returns: false to close the connection at once.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch kind {
        case .dropbox(let call, let receiver):
            let room = call.cut.map { max(0, $0 - receiver.length) } ?? .max
            if room <= Int64(bytes.count) {
                receiver.receive(UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(room))))
                finish(call, receiver.result(isWhole: false))
                return false
            }
            receiver.receive(bytes)
        case .control(var taken):
            kind = .control([])
            if taken.count + bytes.count <= 4 << 20 { taken += bytes }
            kind = .control(taken)
        case .sink(var hasher):
            kind = .control([])
            hasher.update(bytes)
            kind = .sink(hasher)
        }
        guard let wait = pace?.receive(bytes.count, now: StopSignal.now) else { return true }
        return edge.stopSignal.wait(wait)
    }

    /// Handles the complete body: carries out the request, and waits for the answer's delay.
    ///
    /// - Returns: nil to close the connection without an answer.
    func end() -> EmulatorReply? {
        switch kind {
        case .dropbox(let call, let receiver):
            // `take` is never called for an empty body.
            if let cut = call.cut, cut <= receiver.length {
                finish(call, receiver.result(isWhole: false))
                return nil
            }
            let body = receiver.result(isWhole: receiver.failure == nil)
            let outcome = finish(call, body)
            guard edge.stopSignal.wait(outcome.delay) else { return nil }
            if let failure = receiver.failure { return .text("\(failure)\n", status: 500) }
            return outcome.reply
        case .control(let bytes):
            isOver = true
            return EmulatorControl(edge).answer(request, bytes)
        case .sink(let hasher):
            isOver = true
            guard request.method == "PUT" || request.method == "POST" else {
                return .text("The sink takes PUT and POST.\n", status: 405)
            }
            let size = hasher.count
            edge.with { state, _ in state.dropbox.recordSink(size) }
            guard edge.stopSignal.wait(latency) else { return nil }
            return .json(["size": .integer(size), "content_hash": .string(hasher.contentHash())])
        }
    }

    /// Handles the end of the connection; without an answer before it, the request was aborted.
    func connectionEnded() {
        guard !isOver, case .dropbox(let call, let receiver) = kind else { return }
        finish(call, receiver.result(isWhole: false))
    }

    @discardableResult
    private func finish(_ call: EmulatorCall, _ body: ReceivedBody) -> EmulatorOutcome {
        isOver = true
        let outcome = edge.with { state, now in state.dropbox.finish(call, body, now: now) }
        edge.folder?.remove(outcome.released)
        return outcome
    }
}
