// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles
import OffstageTestSupport
import Testing

@Suite struct OffstagePathsOfUserTests {
    private let directory: TemporaryDirectory
    private let other: UInt32 = 65534

    init() throws { directory = try TemporaryDirectory() }

    @Test func `a runtime directory of one's own is used, also by way of a link`() throws {
        try TestFiles.makeDirectory(directory.path("run"))
        chmod(directory.path("run"), 0o700)
        symlink(directory.path("run"), directory.path("link"))
        for name in ["run", "link"] {
            let paths = try OffstagePaths.ofThisUser(
                ["HOME": directory.path, "XDG_RUNTIME_DIR": directory.path(name)]
            )
            #expect(paths.socket == directory.path("\(name)/offstage/daemon.sock"))
        }
    }

    @Test func `one that is not there, or that everybody may write, is not`() throws {
        try TestFiles.makeDirectory(directory.path("open"))
        chmod(directory.path("open"), 0o1777)
        for name in ["open", "missing"] {
            let paths = try OffstagePaths.ofThisUser(
                ["HOME": directory.path, "XDG_RUNTIME_DIR": directory.path(name)]
            )
            #expect(paths.socket == directory.path(".local/state/offstage/run/daemon.sock"))
        }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root")) func `another user's folders are not`() throws {
        for name in ["home", "run"] {
            try TestFiles.makeDirectory(directory.path(name))
            chmod(directory.path(name), 0o700)
            chown(directory.path(name), other, other)
        }
        symlink(directory.path("home"), directory.path("link"))
        let own = try OffstagePaths.ofThisUser(["HOME": directory.path, "XDG_RUNTIME_DIR": directory.path("run")])
        #expect(own.socket == directory.path(".local/state/offstage/run/daemon.sock"))
        for name in ["home", "link"] {
            let error = #expect(throws: SettingsError.self) {
                try OffstagePaths.ofThisUser(["OFFSTAGE_HOME": directory.path(name) + "/new"])
            }
            #expect(error?.sentence.contains("belongs to user 65534") == true)
        }
    }
}
