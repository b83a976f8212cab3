// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageSupervisor

/// A process of an app: runs, is stopped, and ends once.
///
/// `@unchecked Sendable`: belongs to the simulation's single thread.
final class SimulatedProcess: HeldProcess, @unchecked Sendable {
    let identity: ProcessIdentity
    let app: SimulatedApp
    let token: String?
    private let world: SimulatedWorld
    let descriptor: Int32
    private(set) var isHalted = false
    private(set) var hasEnded = false
    /// Whether the current daemon started it.
    var isChild = false
    /// Its connections.
    var stage: SimulatedClient?
    var session: SimulatedClient?

    init(_ identity: ProcessIdentity, of app: SimulatedApp, token: String?, in world: SimulatedWorld) {
        self.identity = identity
        self.app = app
        self.token = token
        self.world = world
        descriptor = offstage_eventfd()
    }

    deinit { close(descriptor) }

    var leadsGroup: Bool { true }

    func stop() {
        guard !hasEnded, !isHalted else { return }
        isHalted = true
        stage?.isPaused = true
        session?.isPaused = true
    }

    func resume() {
        guard !hasEnded, isHalted else { return }
        isHalted = false
        stage?.isPaused = false
        session?.isPaused = false
        app.continues(self)
    }

    func kill() {
        guard !hasEnded else { return }
        hasEnded = true
        stage?.close()
        session?.close()
        (stage, session) = (nil, nil)
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
        app.hasEnded(self)
        world.processes.hasEnded(self)
    }

    func isStopped() -> Bool? { hasEnded ? nil : isHalted }
    func terminalStanding() -> (isStopped: Bool, isInFront: Bool)? { nil }
    func setPriority(isBackground: Bool) {}
}
