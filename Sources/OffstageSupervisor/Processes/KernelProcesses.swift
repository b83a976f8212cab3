// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The processes of this machine.
package struct KernelProcesses: ProcessHost {
    package init() {}

    package func facts(of process: Int32, pidfd: Int32, variables: [String]) -> AppFacts? {
        AppFacts.read(process: process, pidfd: pidfd, variables: variables)
    }

    package func hold(_ process: ProcessIdentity) -> (any HeldProcess)? { AppProcess.open(process) }

    package func prepare(_ executable: String) throws(LaunchError) -> Launch {
        let found = try AppExecutable(executable)
        return { order throws(LaunchError) in
            var environment = order.environment
            environment[AppLauncher.tokenVariable] = order.token
            return try AppLauncher.spawn(
                executable: found,
                arguments: order.arguments,
                environment: environment,
                workingDirectory: order.workingDirectory,
                logPath: order.logPath,
                cgroup: order.cgroup
            )
        }
    }

    package func process(launchedWith token: String) -> ProcessIdentity? { AppLauncher.find(token: token) }

    package func tracer(of process: Int32) -> Int32? { ProcessStatus.tracer(of: process) }
}

extension AppProcess: HeldProcess {
    package func setPriority(isBackground: Bool) { setPriority(isBackground: isBackground, freezer: nil) }
}
