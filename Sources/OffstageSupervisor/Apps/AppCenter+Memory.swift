// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore

/// Handles memory pressure: suspended apps are reclaimed first, then running ones are warned.
extension AppCenter {
    /// Watches the kernel's reports; false if they cannot be watched.
    package func watchMemory(_ monitor: MemoryPressureMonitor) -> Bool {
        // The handler keeps the monitor alive, and with it the descriptor.
        let watch = loop.watch(monitor.descriptor, events: offstage_epoll_pri) { [weak self, monitor] _ in
            if monitor.isShort { self?.assumeIsolated { $0.memoryIsShort() } }
        }
        return watch != nil
    }

    /// Reclaims the least recently used suspended app; if there is none, warns all running ones.
    func memoryIsShort() {
        // An app that is already being killed frees its memory anyway.
        let onStage = apps.values.filter { $0.life.registration.process != nil && !$0.life.isEnding }
        var candidates = onStage.map { app in
            MemoryReclaim.Candidate(id: app.id, state: app.life.state, lastUsed: app.lastUsed)
        }
        while true {
            switch MemoryReclaim.decide(candidates) {
            case .reclaim(let id):
                guard let app = apps[id] else { return }
                if !isDebugged(app) { return send(.reclaim, to: app) }
                candidates.removeAll { $0.id == id }
            case .warn(let ids):
                for id in ids { if let app = apps[id] { send(.memoryWarning, to: app) } }
                return
            }
        }
    }

    func recordUse(of app: SupervisedApp, at uptime: Double) {
        app.lastUsed = uptime
        app.life.recordUse(at: uptime)
        persist(app)
    }

    package func simulateMemoryPressure() async {
        await waitUntilReady()
        memoryIsShort()
    }
}
