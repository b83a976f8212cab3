// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct OffstagePathsTests {
    @Test func `everything lies under OFFSTAGE_HOME when it is set`() throws {
        for home in ["/o", "/o/"] {
            let paths = try OffstagePaths(environment: [
                "OFFSTAGE_HOME": home, "HOME": "/h", "XDG_RUNTIME_DIR": "/run/user/1",
            ])
            #expect(paths.socket == "/o/run/daemon.sock")
            #expect(paths.store == "/o/store.sqlite")
            #expect(paths.accountKey == "/o/accounts.key")
            #expect(paths.lock == "/o/daemon.lock")
            #expect(paths.settings == "/o/settings.json")
            #expect(paths.log == "/o/daemon.log")
            #expect(paths.snapshots == "/o/snapshots")
            #expect(paths.decidedBy == "OFFSTAGE_HOME")
        }
    }

    @Test func `otherwise the XDG directories decide, with their defaults under HOME`() throws {
        let plain = try OffstagePaths(environment: ["HOME": "/h", "XDG_RUNTIME_DIR": "/run/user/1"])
        #expect(plain.socket == "/run/user/1/offstage/daemon.sock")
        #expect(plain.store == "/h/.local/share/offstage/store.sqlite")
        #expect(plain.accountKey == "/h/.local/share/offstage/accounts.key")
        #expect(plain.log == "/h/.local/state/offstage/daemon.log")
        #expect(plain.settings == "/h/.config/offstage/settings.json")
        let set = try OffstagePaths(environment: [
            "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c", "XDG_RUNTIME_DIR": "/r",
        ])
        #expect(set.store == "/d/offstage/store.sqlite")
        #expect(set.log == "/s/offstage/daemon.log")
        #expect(set.settings == "/c/offstage/settings.json")
        #expect(set.socket == "/r/offstage/daemon.sock")
        #expect(try OffstagePaths(environment: ["HOME": "/"]).store == "/.local/share/offstage/store.sqlite")
    }

    @Test(arguments: [nil, "", "relative/run"]) func `without a runtime directory the socket lies with the state`(
        runtime: String?
    ) throws {
        var environment = ["HOME": "/h"]
        environment["XDG_RUNTIME_DIR"] = runtime
        let paths = try OffstagePaths(environment: environment)
        #expect(paths.socket == "/h/.local/state/offstage/run/daemon.sock")
    }

    @Test func `relative directories are ignored, as the XDG specification asks`() throws {
        let paths = try OffstagePaths(environment: ["HOME": "/h", "XDG_DATA_HOME": "data", "OFFSTAGE_HOME": ""])
        #expect(paths.store == "/h/.local/share/offstage/store.sqlite")
    }

    @Test func `nowhere to go is said`() {
        #expect(throws: SettingsError.noHome) { try OffstagePaths(environment: [:]) }
        #expect(throws: SettingsError.noHome) { try OffstagePaths(environment: ["HOME": ""]) }
        #expect(throws: SettingsError.homeIsRelative("o")) {
            try OffstagePaths(environment: ["OFFSTAGE_HOME": "o", "HOME": "/h"])
        }
    }

    @Test func `a socket path that Linux does not take is refused`() throws {
        let rest = "/run/daemon.sock".utf8.count
        let longest = "/" + String(repeating: "x", count: OffstagePaths.longestSocketPath - rest - 1)
        #expect(try OffstagePaths(environment: ["OFFSTAGE_HOME": longest]).socket.utf8.count == 107)
        let error = try #require(throws: SettingsError.self) {
            try OffstagePaths(environment: ["OFFSTAGE_HOME": longest + "y"])
        }
        #expect(error.sentence.contains("108 bytes"))
        // The limit is in bytes, not letters.
        #expect(throws: SettingsError.self) {
            try OffstagePaths(environment: ["OFFSTAGE_HOME": "/" + String(repeating: "ü", count: 60)])
        }
    }

    /// Folders that exist, with their owners; all folders above them belong to root.
    private func border(_ owners: [String: UInt32], user: UInt32 = 0, mode: UInt32 = 0o700) -> OffstagePaths.Border {
        OffstagePaths.Border(trust: PathTrust(user: user)) { path in
            var found = [FileStanding(path: "/", kind: .folder, owner: 0, permissions: 0o755)]
            var partial = ""
            for part in path.split(separator: "/") {
                partial += "/" + part
                guard let owner = owners[partial] else { return (found, false) }
                found.append(FileStanding(path: partial, kind: .folder, owner: owner, permissions: mode))
            }
            return (found, true)
        }
    }

    @Test func `a runtime directory of another user is as none`() throws {
        let environment = ["HOME": "/root", "XDG_RUNTIME_DIR": "/run/user/1000"]
        let there: [String: UInt32] = ["/root": 0, "/run": 0, "/run/user": 0, "/run/user/1000": 1000]
        let root = try OffstagePaths(environment: environment, border: border(there))
        #expect(root.socket == "/root/.local/state/offstage/run/daemon.sock")
        let owner = try OffstagePaths(
            environment: ["HOME": "/h", "XDG_RUNTIME_DIR": "/run/user/1000"],
            border: border(there, user: 1000)
        )
        #expect(owner.socket == "/run/user/1000/offstage/daemon.sock")
    }

    @Test func `a runtime directory that is not there, or that others may write, is as none`() throws {
        let environment = ["HOME": "/h", "XDG_RUNTIME_DIR": "/r"]
        let fallback = "/h/.local/state/offstage/run/daemon.sock"
        #expect(try OffstagePaths(environment: environment, border: border([:])).socket == fallback)
        let open = border(["/r": 0], mode: 0o1777)
        #expect(try OffstagePaths(environment: environment, border: open).socket == fallback)
    }

    @Test(arguments: ["HOME", "OFFSTAGE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"])
    func `a place that leads through another user's folder is refused`(variable: String) throws {
        let environment = ["HOME": "/root"].merging([variable: "/home/alice/x"]) { $1 }
        let there: [String: UInt32] = ["/root": 0, "/home": 0, "/home/alice": 1000]
        let error = try #require(throws: SettingsError.self) {
            try OffstagePaths(environment: environment, border: border(there))
        }
        #expect(error.sentence.contains("The folder /home/alice, on the path to /home/alice/x"))
        #expect(error.sentence.contains("belongs to user 1000"))
        // The folder's owner may use it, and so may anyone whose path consists of root's folders only.
        _ = try OffstagePaths(environment: environment, border: border(["/home": 0, "/home/alice": 1000], user: 1000))
        _ = try OffstagePaths(environment: environment, border: border(["/home": 0], user: 1000))
    }

    @Test func `a place behind a folder that may not be entered is refused`() throws {
        // As after 'su -m alice', which keeps root's HOME: the folder is root's, and so no other user's.
        var closed = border(["/root": 0], user: 1000)
        closed.isClosed = { $0 == "/root" }
        let error = try #require(throws: SettingsError.self) {
            try OffstagePaths(environment: ["HOME": "/root"], border: closed)
        }
        let start = "The folder /root, on the path to /root/.local/share/offstage, is not accessible to this user:"
        #expect(error.sentence.hasPrefix(start))
        #expect(error.sentence.hasSuffix("set HOME, or OFFSTAGE_HOME, to a folder of your own."))
    }

    @Test func `where the socket would be too long, the daemon that runs is found all the same`() throws {
        let home = "/" + String(repeating: "x", count: 80)
        var place = border([:])
        #expect(throws: SettingsError.self) { try OffstagePaths(environment: ["HOME": home], border: place) }
        let lock = home + "/.local/share/offstage/daemon.lock"
        place.listening = { $0 == lock ? "/run/user/1/offstage/daemon.sock" : nil }
        let paths = try OffstagePaths(environment: ["HOME": home], border: place)
        #expect(paths.socket == "/run/user/1/offstage/daemon.sock")
        #expect(paths.store.hasPrefix(home))
    }
}
