// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore

/// Memory is short: suspended apps give theirs up first, then running ones are warned.
extension AppCenter {
    /// Watches what the kernel tells, where it does.
    package func watchMemory(_ monitor: MemoryPressureMonitor) {
        memory = monitor
        let watch = loop.watch(monitor.descriptor, events: offstage_epoll_pri) { [weak self] _ in
            self?.assumeIsolated { $0.memoryIsShort() }
        }
        if watch == nil { log("memory is not watched: apps are not warned when it is low") }
    }

    /// The suspended app that was used least recently is reclaimed; all that run are warned when there is none.
    func memoryIsShort() {
        // What is being killed frees its memory already.
        let onStage = apps.values.filter { $0.life.registration.process != nil && !$0.life.isEnding }
        var candidates = onStage.map { app in
            MemoryReclaim.Candidate(id: app.id, state: app.life.state, lastUsed: app.lastUsed)
        }
        while true {
            switch MemoryReclaim.decide(candidates) {
            case .reclaim(let id):
                guard let app = apps[id] else { return }
                if !isDebugged(app) { return tell(.reclaim, to: app) }
                candidates.removeAll { $0.id == id }
            case .warn(let ids):
                for id in ids { if let app = apps[id] { tell(.memoryWarning, to: app) } }
                return
            }
        }
    }

    func noteUse(of app: SupervisedApp, at uptime: Double) {
        app.lastUsed = uptime
        app.life.noteUse(at: uptime)
        persist(app)
    }

    package func simulateMemoryPressure() async {
        await waitUntilReady()
        memoryIsShort()
    }
}
