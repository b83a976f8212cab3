// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// Which variables a launched app gets back.
@Suite struct LaunchEnvironmentTests {
    @Test func `a launched app logs as it did, and secrets are not recorded`() {
        let environment = [
            "PATH": "/bin", "OFFSTAGE_OS_LOG": "debug,stderr", "OS_ACTIVITY_MODE": "disable", "LC_TIME": "C",
            "API_TOKEN": "secret", "OFFSTAGE_LAUNCH": "token",
        ]
        let recorded = LaunchEnvironment.allowed(environment, additional: ["TRACE"])
        #expect(Set(recorded.keys) == ["PATH", "OFFSTAGE_OS_LOG", "OS_ACTIVITY_MODE", "LC_TIME"])
    }
}
