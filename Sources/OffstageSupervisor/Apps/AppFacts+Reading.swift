// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageFiles

extension AppFacts {
    /// Reads them. Blocking: called on a worker.
    ///
    /// - Parameters:
    ///   - process: the peer's number, from its credentials.
    ///   - pidfd: the peer itself, where the kernel gives one out, else -1; closed here.
    ///   - variables: names from the settings of what else is recorded.
    /// - Returns: nil when the process has gone, or hides what it runs.
    static func read(process: Int32, pidfd: Int32, variables: [String]) -> AppFacts? {
        // Read before the identity, which says whether the process has been itself all the time.
        let before = Lack.waitedOut { ProcessStatus.read(process)?.identity }
        let facts = Lack.waitedOut { ProcessFacts.read(process) }
        guard let identity = PeerIdentity.read(process: process, pidfd: pidfd), identity.process == before, let facts
        else { return nil }
        return AppFacts(
            app: identity.app,
            process: identity.process,
            executable: facts.executable,
            information: BundleFacts.read(executable: facts.executable),
            launch: AppRegistration.Launch(
                arguments: facts.arguments,
                workingDirectory: facts.workingDirectory,
                environment: LaunchEnvironment.allowed(facts.environment, additional: variables)
            )
        )
    }

    /// As its app is registered.
    var registration: AppRegistration {
        AppRegistration(id: app, executable: executable, information: information, launch: launch)
    }
}
