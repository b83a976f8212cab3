// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport

/// `Tests/Fixtures/SessionApp`, launched in the home of a daemon that it starts itself.
extension DaemonFixture {
    func launchSessionApp(_ orders: [String]) throws -> ChildProcess {
        let environment = ChildProcess.inheritedEnvironment.merging([
            "OFFSTAGE_HOME": home, "OFFSTAGED": try BuiltProducts.path("offstaged"),
        ]) { $1 }
        return try ChildProcess(
            try BuiltProducts.path("SessionApp"),
            [],
            environment: environment,
            directory: files,
            input: Array(orders.map { $0 + "\n" }.joined().utf8)
        )
    }
}
