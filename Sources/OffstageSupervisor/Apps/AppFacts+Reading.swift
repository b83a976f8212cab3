// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageFiles

extension AppFacts {
    /// Reads the facts. Blocking, so call it on a worker.
    ///
    /// - Parameters:
    ///   - process: the peer's number, from its credentials.
    ///   - pidfd: the peer itself, or -1 if the kernel provides none; closed here.
    ///   - variables: names of further variables to record, from the settings.
    /// - Returns: nil if the process has ended, or hides its program.
    static func read(process: Int32, pidfd: Int32, variables: [String]) -> AppFacts? {
        // Read before the identity, which confirms that it was the same process throughout.
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

    /// The registration of its app.
    var registration: AppRegistration {
        AppRegistration(id: app, executable: executable, information: information, launch: launch)
    }
}
