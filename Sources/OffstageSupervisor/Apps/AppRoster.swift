// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The registered apps, and the number of them in each state, which is updated with every change.
struct AppRoster {
    private(set) var all: [String: SupervisedApp] = [:]
    private(set) var states = Tally<LifeState>()

    var values: Dictionary<String, SupervisedApp>.Values { all.values }

    subscript(id: String) -> SupervisedApp? {
        get { all[id] }
        set {
            if let old = all[id] { states.remove(old.life.state) }
            all[id] = newValue
            if let newValue { states.add(newValue.life.state) }
        }
    }

    /// Counts a registered app that has left a state.
    mutating func left(_ state: LifeState, _ app: SupervisedApp) {
        guard all[app.id] === app else { return }
        states.remove(state)
        states.add(app.life.state)
    }
}
