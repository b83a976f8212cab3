// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct DaemonEnvironmentTests {
    private let shell = [
        "HOME": "/h", "USER": "u", "LANG": "de_CH.UTF-8", "LC_TIME": "C", "XDG_RUNTIME_DIR": "/r",
        "OFFSTAGE_HOME": "/o",
        "OFFSTAGED": "/d", "OFFSTAGE_CGROUP": "/c", "OFFSTAGE_FAULT": "f", "LD_LIBRARY_PATH": "/l",
        "PATH": "/a:.::bin:/b", "TZ": "UTC",
        "AWS_SECRET_ACCESS_KEY": "s3cret", "LD_PRELOAD": "/evil.so", "SSLKEYLOGFILE": "/keys", "BASH_ENV": "/rc",
        "ENV": "/rc", "IFS": "x", "OFFSTAGE_LAUNCH": "t", "OFFSTAGE_READY_FD": "3", "NOTIFY_SOCKET": "/n",
        "LISTEN_FDS": "1", "http_proxy": "http://user:password@p", "BASH_FUNC_ls%%": "() { :; }", "SSH_AUTH_SOCK": "/a",
    ]

    @Test func `a daemon that is started on demand has what says where things are`() {
        #expect(
            DaemonEnvironment.ofDaemon(startedFrom: shell) == [
                "HOME": "/h", "USER": "u", "LANG": "de_CH.UTF-8", "LC_TIME": "C", "XDG_RUNTIME_DIR": "/r",
                "OFFSTAGE_HOME": "/o", "OFFSTAGED": "/d", "OFFSTAGE_CGROUP": "/c", "OFFSTAGE_FAULT": "f",
                "LD_LIBRARY_PATH": "/l",
                "PATH": "/a:/b", "TZ": "UTC",
            ]
        )
    }

    @Test func `a configured command has less, and what it is told`() {
        let told = ["OFFSTAGE_ID": "7", "OFFSTAGE_RESULT": "completed"]
        #expect(
            DaemonEnvironment.ofCommand(shell, told: told) == [
                "HOME": "/h", "USER": "u", "LANG": "de_CH.UTF-8", "LC_TIME": "C", "XDG_RUNTIME_DIR": "/r",
                "OFFSTAGE_HOME": "/o", "PATH": "/a:/b", "TZ": "UTC", "OFFSTAGE_ID": "7", "OFFSTAGE_RESULT": "completed",
            ]
        )
    }

    @Test(arguments: [nil, "", ".", ":", "bin:sbin"]) func `a path without a folder is the standard one`(path: String?)
    {
        var environment: [String: String] = [:]
        environment["PATH"] = path
        #expect(DaemonEnvironment.ofCommand(environment, told: [:]) == ["PATH": "/usr/local/bin:/usr/bin:/bin"])
    }
}
