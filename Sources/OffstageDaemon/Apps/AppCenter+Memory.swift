// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore
import OffstageSupervisor

/// Memory is short: suspended apps give theirs up first, then running ones are warned.
extension AppCenter {
    /// Watches what the kernel tells, where it does.
    func watchMemory(_ monitor: MemoryPressureMonitor) {
        memory = monitor
        _ = loop.watch(monitor.descriptor, events: offstage_epoll_pri) { [weak self] _ in
            self?.assumeIsolated { $0.memoryIsShort() }
        }
    }

    /// The suspended app that was used least recently is reclaimed; all that run are warned when there is none.
    func memoryIsShort() {
        let onStage = apps.values.filter { $0.life.registration.process != nil }
        let candidates = onStage.map { app in
            MemoryReclaim.Candidate(id: app.id, state: app.life.state, lastUsed: app.lastUsed)
        }
        switch MemoryReclaim.decide(candidates) {
        case .reclaim(let id): if let app = apps[id] { tell(.reclaim, to: app) }
        case .warn(let ids): for id in ids { if let app = apps[id] { tell(.memoryWarning, to: app) } }
        }
    }

    func simulateMemoryPressure() async {
        await waitUntilReady()
        memoryIsShort()
    }
}
