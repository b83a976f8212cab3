// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageSupervisor

extension SupervisedApp {
    /// A registered app that does not run.
    static func sample(_ id: String = "org.example.app", isQuit: Bool = false) -> SupervisedApp {
        var registration = AppRegistration(
            id: id,
            executable: "/opt/app",
            information: .init(),
            launch: .init(arguments: [], workingDirectory: "/", environment: [:])
        )
        registration.isQuit = isQuit
        return SupervisedApp(AppLife(registration, policy: .init()))
    }
}

extension Moment {
    static func sample(uptime: Double = 100) -> Moment {
        Moment(wall: Date(timeIntervalSince1970: 1_700_000_000 + uptime), bootID: "boot", uptime: uptime)
    }
}
