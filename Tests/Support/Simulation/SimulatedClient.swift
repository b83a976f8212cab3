// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageRuntime

/// One connection to the daemon from the simulated world: frames in and out, without waiting.
///
/// Belongs to the simulation's single thread.
final class SimulatedClient {
    typealias Answer = Result<[UInt8], WireFailure>

    private let life: DaemonLifetime
    private var descriptor: Int32
    private var watch: EventLoop.Watch?
    private var decoder = FrameDecoder()
    private var nextExchange: UInt32 = 1
    private var waiting: [UInt32: (Answer, _ descriptor: Int32) -> Void] = [:]
    private var passed: Int32 = -1
    private var hasDaemon = true
    /// Receives the daemon's unsolicited frames.
    var heard: (WireFrame) -> Void = { _ in }

    /// Connects to the daemon as a process, and greets it.
    init?(_ life: DaemonLifetime, process: Int32) {
        self.life = life
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard life.isAlive, socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        descriptor = ends[0]
        watch = life.loop.watch(ends[0], events: offstage_epoll_in) { [weak self] _ in self?.receive() }
        life.core.admit(ends[1], of: process)
        life.add(self)
        ask(Hello(client: "simulation")) { _, _ in }
    }

    deinit { close() }

    var isOpen: Bool { descriptor >= 0 }

    /// Whether its process is stopped and reads nothing.
    var isPaused = false {
        didSet {
            guard isPaused != oldValue, descriptor >= 0 else { return }
            if isPaused {
                if let watch { life.loop.unwatch(watch) }
                watch = nil
            } else {
                watch = life.loop.watch(descriptor, events: offstage_epoll_in) { [weak self] _ in self?.receive() }
            }
        }
    }

    /// Handles the daemon's death: its sent frames are still read, and nothing reaches it any more.
    func daemonDied() {
        hasDaemon = false
        if !isPaused { receive() }
        close()
    }

    /// Closes the connection, since its process or the daemon has died.
    func close() {
        guard descriptor >= 0 else { return }
        if let watch { life.loop.unwatch(watch) }
        Glibc.close(descriptor)
        if passed >= 0 { Glibc.close(passed) }
        (descriptor, watch, passed, waiting) = (-1, nil, -1, [:])
        heard = { _ in }
    }

    /// Sends a request; the answer never comes if the daemon dies first.
    func ask<R: WireRequest>(
        _ request: R,
        then answered: @escaping (Result<R.Reply, WireFailure>, _ descriptor: Int32) -> Void
    ) {
        let exchange = nextExchange
        nextExchange += 1
        waiting[exchange] = { answer, descriptor in
            let reply = answer.map { bytes in
                SimulatedWorld.must { try WireCoding.decode(R.Reply.self, from: bytes) }
            }
            answered(reply, descriptor)
        }
        send(R.name, exchange, SimulatedWorld.must { try WireCoding.encode(request) })
    }

    /// Sends a message that has no answer.
    func tell(_ name: String, _ payload: [UInt8] = Array("{}".utf8)) { send(name, 0, payload) }

    private func send(_ name: String, _ exchange: UInt32, _ payload: [UInt8]) {
        guard descriptor >= 0, hasDaemon else { return }
        let bytes = WireFrame(kind: .request, exchange: exchange, name: name, payload: payload).encoded()
        let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        // The daemon reads at once; a client notices by reading that its connection was closed.
        if count >= 0, count < bytes.count { life.world.problem("the daemon does not read") }
    }

    private func receive() {
        let isOver = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { buffer in
            var came: Int32 = -1
            let count = offstage_receive_descriptor(descriptor, buffer.baseAddress, buffer.count, &came)
            if came >= 0 {
                if passed >= 0 { Glibc.close(passed) }
                passed = came
            }
            if count > 0 { decoder.append(UnsafeBufferPointer(rebasing: buffer[..<count])) }
            return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
        }
        if isOver { return close() }
        while descriptor >= 0, !isPaused, let frame = SimulatedWorld.must({ try decoder.next() }) { take(frame) }
    }

    private func take(_ frame: WireFrame) {
        switch frame.kind {
        case .event: heard(frame)
        case .request: life.world.problem("the daemon asks")
        case .reply, .failure:
            guard let answered = waiting.removeValue(forKey: frame.exchange) else { return }
            let descriptor = passed
            passed = -1
            if frame.kind == .reply { return answered(.success(frame.payload), descriptor) }
            answered(.failure(SimulatedWorld.must { try WireCoding.decode(WireFailure.self, from: frame.payload) }), -1)
        }
    }
}
