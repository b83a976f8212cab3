// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import Synchronization

/// An engine for each file system. An engine's single thread reads and writes the files, so an unresponsive mount or a
/// slow USB stick holds up only the transfers with files on it.
///
/// Every method may be called from any thread, and all except `shutDown` return immediately. The cost of a call does
/// not depend on the number of running requests.
package final class FileSystemEngines: TransferEngine {
    package typealias Deliver = @Sendable ([EngineEvent]) -> Void
    /// Makes an engine.
    package typealias Make = @Sendable (_ deliver: @escaping Deliver) throws(EngineError) -> any SingleEngine

    /// An engine for other file systems than the daemon's.
    private struct Engine {
        let engine: any SingleEngine
        /// The file systems that it serves: more than one if requests need all of them.
        var fileSystems: Set<UInt64>
        /// How many requests it is carrying out.
        var requests = 0
        /// The last request for a sign of life.
        var signOfLife: UnansweredCall?
    }

    private struct State {
        var others: [Engine] = []
        /// The engine that carries out each request. The home engine's requests are not listed.
        var places: [RequestKey: Int] = [:]
        /// The engines that had not given a sign of life for too long at the last check.
        var stalled: Set<Int> = []
        var isShutDown = false

        mutating func end(_ key: RequestKey, at place: Int) {
            guard places.removeValue(forKey: key) != nil else { return }
            others[place].requests -= 1  // checked: was counted when it was put there
        }
    }

    /// For the daemon's own file system, and for requests without a file.
    private let home: any TransferEngine
    private let homeFileSystem: UInt64?
    private let make: Make
    private let deliver: Deliver
    private let state = Mutex(State())

    /// How many other file systems, or sets of them that requests need together, have their own engine. Further ones
    /// share one.
    package static let most = 8
    /// Seconds that requests to file systems other than the daemon's have to end when the daemon stops.
    private static let patienceAtStop = 2.0

    /// - Parameters:
    ///   - homeFileSystem: the device number of the file system with the daemon's store.
    ///   - make: makes an engine; called once now, and again whenever another file system needs one.
    ///   - deliver: receives events on the thread of the engine that reports them: it must not block.
    /// - Throws: `EngineError` if not even one can be made.
    package init(
        homeFileSystem: UInt64?,
        make: @escaping Make,
        deliver: @escaping Deliver
    ) throws(EngineError) {
        self.homeFileSystem = homeFileSystem
        self.make = make
        self.deliver = deliver
        home = try make(deliver)
    }

    // MARK: TransferEngine

    package func start(_ requests: [EngineRequest]) {
        guard requests.contains(where: { !foreignFileSystems(of: $0).isEmpty }) else { return home.start(requests) }
        for request in requests { engine(for: request).start([request]) }
    }

    package func stop(_ key: RequestKey) { engine(of: key).stop(key) }

    package func setRateLimit(_ key: RequestKey, bytesPerSecond: Int64?) {
        engine(of: key).setRateLimit(key, bytesPerSecond: bytesPerSecond)
    }

    package func setEnd(_ key: RequestKey, _ end: Int64) { engine(of: key).setEnd(key, end) }

    package func stalled(at uptime: Double) -> Set<TransferID> {
        state.withLock { state in
            var stalled: Set<Int> = []
            for place in state.others.indices {
                let engine = state.others[place].engine
                if let asked = state.others[place].signOfLife, !engine.hasAnswered {
                    if asked.isStalled(at: uptime) { stalled.insert(place) }
                } else {
                    state.others[place].signOfLife = UnansweredCall(at: uptime)
                    engine.ask()
                }
            }
            state.stalled = stalled
            guard !stalled.isEmpty else { return [] }
            return Set(state.places.filter { stalled.contains($0.value) }.map(\.key.id))
        }
    }

    /// Breaks off everything. Requests to a file system that does not respond within two seconds are left as they are:
    /// their descriptors must not be closed, and the process is about to end.
    package func shutDown() { shutDown(within: nil) }

    @discardableResult
    package func shutDown(within seconds: Double?) -> Bool {
        let others = state.withLock { state in
            state.isShutDown = true
            return state.others.map(\.engine)
        }
        // All are notified before any is waited for.
        for engine in others { engine.shutDown(within: 0) }
        var haveEnded = home.shutDown(within: seconds)
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds ?? Self.patienceAtStop)
        for engine in others {
            let left = clock.now.duration(to: end) / .seconds(1)
            haveEnded = engine.shutDown(within: max(0, left)) && haveEnded
        }
        return haveEnded
    }

    // MARK: - Which engine

    private func foreignFileSystems(of request: EngineRequest) -> Set<UInt64> {
        Set(request.fileSystems.lazy.filter { $0 != self.homeFileSystem })
    }

    private func engine(of key: RequestKey) -> any TransferEngine {
        state.withLock { state in state.places[key].map { state.others[$0].engine } } ?? home
    }

    private func engine(for request: EngineRequest) -> any TransferEngine {
        let fileSystems = foreignFileSystems(of: request)
        guard !fileSystems.isEmpty else { return home }
        return state.withLock { state in
            guard !state.isShutDown, let place = place(for: fileSystems, &state) else { return home }
            state.places[request.key] = place
            state.others[place].requests += 1  // checked: our own count
            return state.others[place].engine
        }
    }

    /// The engine for some file systems: their own, a new one, an idle one, or the least busy of the responsive ones.
    /// Nil if there is none and none can be made.
    private func place(for fileSystems: Set<UInt64>, _ state: inout State) -> Int? {
        if let own = state.others.firstIndex(where: { $0.fileSystems == fileSystems }) { return own }
        if state.others.count < Self.most {
            let next = state.others.count
            if let made = try? make({ [weak self] events in self?.report(events, from: next) }) {
                state.others.append(Engine(engine: made, fileSystems: fileSystems))
                return next
            }
        }
        if let idle = state.others.firstIndex(where: { $0.requests == 0 }) {
            state.others[idle].fileSystems = fileSystems
            return idle
        }
        let lively = state.others.indices.filter { !state.stalled.contains($0) }
        let choice = lively.isEmpty ? Array(state.others.indices) : lively
        return choice.min { state.others[$0].requests < state.others[$1].requests }
    }

    /// Called on the thread of one of the other engines.
    private func report(_ events: [EngineEvent], from place: Int) {
        state.withLock { state in
            for event in events {
                switch event {
                case .ended(let key, _, _), .released(let key): state.end(key, at: place)
                default: break
                }
            }
        }
        deliver(events)
    }
}
