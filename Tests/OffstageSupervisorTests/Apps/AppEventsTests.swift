// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime
import OffstageSupervisor
import Testing

@Suite struct `What rules of apps are told` {
    @Test func `what happens while one is told comes after it`() {
        let events = AppEvents(clock: SystemClock())
        let apps = ["a": SupervisedApp.sample("a"), "b": SupervisedApp.sample("b")]
        var told: [String] = []
        func tell(_ event: AppEvent, _ id: String) {
            guard let app = apps[id] else { return }
            events.add(event, to: app, among: apps)
            events.handle { app, event in
                told.append("\(app.id) \(event)")
                if event == .background { tell(.foreground, "b") }
                if event == .foreground { tell(.timeIsUp, "a") }
                told.append("\(app.id) done")
            }
        }
        tell(.background, "a")
        #expect(told == ["a background", "a done", "b foreground", "b done", "a timeIsUp", "a done"])
    }
}
