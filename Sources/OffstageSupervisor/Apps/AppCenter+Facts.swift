// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Programs that ask for something without being on stage on that connection.
extension AppCenter {
    /// Which program it is.
    ///
    /// - Parameters:
    ///   - process: the peer's number.
    ///   - pidfd: the peer itself, or -1; closed here.
    /// - Returns: nil when nobody can tell.
    func facts(ofProcess process: Int32, pidfd: Int32) async -> AppFacts? {
        let variables = settings.launchEnvironment
        let read = await patiently(within: Self.patience) {
            AppFacts.read(process: process, pidfd: pidfd, variables: variables)
        }
        return read ?? nil
    }

    /// Registers the program's app if it is not, and returns when that is durable; false when the daemon ends first.
    func register(_ facts: AppFacts) async -> Bool {
        await waitUntilReady()
        let app = registered(facts)
        return await waitUntilDurable(app)
    }
}
