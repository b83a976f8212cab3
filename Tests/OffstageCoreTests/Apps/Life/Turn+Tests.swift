// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension Turn {
    /// A turn of an app with nothing on record, so many seconds after the start.
    static func at(_ seconds: Double, _ policy: AppLife.Policy = .init()) -> Turn {
        Turn(Fixture.moment(seconds), policy, AppLifeStage().life.registration)
    }

    /// The commands sent to the process.
    var told: [StageCommand] { actions.compactMap { if case .send(let command) = $0 { command } else { nil } } }

    /// The entries added to the app's story.
    var story: [AppEntry.Happening] {
        actions.compactMap { if case .record(let entry) = $0 { entry.happening } else { nil } }
    }
}
