// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageAccounts
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct AccountVaultTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let vault: AccountVault
    private let secret = Array(#"{"accessToken":"sl.access","refreshToken":"refresh"}"#.utf8)

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("accounts.key")
        vault = AccountVault(keyPath: path)
    }

    private func sealed(_ account: String = "work") throws -> [UInt8] {
        try vault.seal(secret, of: account, makesKey: true)
    }

    @Test func `what was sealed is opened, and shows nothing`() throws {
        let sealed = try sealed()
        #expect(try vault.open(sealed, of: "work") == secret)
        #expect(sealed.count == 1 + 12 + secret.count + 16)
        let window = Array("sl.access".utf8)
        #expect(!sealed.indices.contains { sealed[$0...].starts(with: window) })
        let empty = try vault.seal([], of: "work")
        #expect(try vault.open(empty, of: "work").isEmpty)
    }

    @Test func `the key is random, of this user alone, and made once`() throws {
        _ = try sealed()
        let key = try TestFiles.read(path)
        #expect(key.count == 32)
        #expect(Set(key).count > 8)
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600 && status.st_uid == geteuid())
        _ = try sealed()
        #expect(try TestFiles.read(path) == key)
        #expect(TestFiles.names(in: directory.path) == ["accounts.key"])
        let other = AccountVault(keyPath: directory.path("other.key"))
        _ = try other.seal([1], of: "a", makesKey: true)
        #expect(try TestFiles.read(directory.path("other.key")) != key)
    }

    @Test func `trouble of the machine that passes is no end of a transfer`() {
        for code in [EMFILE, ENFILE, ENOMEM, EIO, EINTR, EAGAIN] {
            let failure = VaultError.keyUnusable(path: path, code: code).failure(of: "work")
            #expect(failure.code == .daemonInterrupted && failure.retryClass == .connection)
        }
        #expect(VaultError.noThread.failure(of: "work").code == .daemonInterrupted)
        for error: VaultError in [.keyUnusable(path: path, code: EACCES), .keyExposed(path: path, detail: "x")] {
            #expect(error.failure(of: "work").code == .accountUnusable)
        }
        #expect(VaultError.keyMissing(path: path).failure(of: "work") == .signInNeeded("work", .keyMissing))
    }

    @Test func `no two are sealed with the same nonce`() throws {
        var nonces: Set<[UInt8]> = []
        for _ in 0..<200 { nonces.insert(Array(try sealed()[1..<13])) }
        #expect(nonces.count == 200)
    }

    @Test func `a change of any byte is noticed`() throws {
        let sealed = try sealed()
        for index in sealed.indices {
            for change: UInt8 in [1, 0x80, 0xFF] {
                var forged = sealed
                forged[index] ^= change
                #expect(throws: VaultError.notOpened) { try vault.open(forged, of: "work") }
            }
        }
    }

    @Test func `what is cut off, or has grown, is noticed`() throws {
        let sealed = try sealed()
        for count in 0..<sealed.count {
            #expect(throws: VaultError.notOpened) { try vault.open(Array(sealed.prefix(count)), of: "work") }
        }
        #expect(throws: VaultError.notOpened) { try vault.open(sealed + [0], of: "work") }
    }

    @Test func `one account's tokens are not opened as another's`() throws {
        let sealed = try sealed("work")
        for other in ["home", "wor", "work2", "", "Work"] {
            #expect(throws: VaultError.notOpened) { try vault.open(sealed, of: other) }
        }
    }

    @Test func `without its key nothing is opened, and a new key does not help`() throws {
        let sealed = try sealed()
        unlink(path)
        #expect(throws: VaultError.keyMissing(path: path)) { try vault.open(sealed, of: "work") }
        #expect(throws: VaultError.keyMissing(path: path)) { try vault.seal(secret, of: "work") }
        _ = try self.sealed("another")
        #expect(throws: VaultError.notOpened) { try vault.open(sealed, of: "work") }
    }

    @Test(arguments: [0, 1, 31, 33, 64]) func `a key of another length is none, and is not replaced`(count: Int) throws
    {
        let sealed = try sealed()
        try TestFiles.write([UInt8](repeating: 7, count: count), to: path, mode: 0o600)
        #expect(throws: VaultError.keyDamaged(path: path)) { try vault.open(sealed, of: "work") }
        #expect(throws: VaultError.keyDamaged(path: path)) { try self.sealed() }
        #expect(TestFiles.size(path) == Int64(count))
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o666, 0o610, 0o755] as [mode_t])
    func `a key that others may use is refused with a sentence, and is not used when that is put right too late`(
        mode: mode_t
    ) throws {
        let sealed = try sealed()
        #expect(chmod(path, mode) == 0)
        let error = #expect(throws: VaultError.self) { try vault.open(sealed, of: "work") }
        #expect(error?.signInReason == nil)
        #expect(error?.sentence.contains(path) == true && error?.sentence.contains("0600") == true)
        #expect(throws: VaultError.self) { try self.sealed() }
        #expect(chmod(path, 0o600) == 0)
        #expect(try vault.open(sealed, of: "work") == secret)
    }

    @Test(.enabled(if: geteuid() == 0, "needs root to give a file away"))
    func `a key of another user is refused`() throws {
        let sealed = try sealed()
        #expect(chown(path, 65_534, 65_534) == 0)
        let expected = VaultError.keyExposed(path: path, detail: "it belongs to another user")
        #expect(throws: expected) { try vault.open(sealed, of: "work") }
    }

    @Test func `what is no file is refused, and nothing hangs`() throws {
        let sealed = try sealed()
        #expect(rename(path, directory.path("real.key")) == 0)
        #expect(symlink(directory.path("real.key"), path) == 0)
        #expect(throws: VaultError.keyExposed(path: path, detail: "it is a symbolic link")) {
            try vault.open(sealed, of: "work")
        }
        unlink(path)
        #expect(mkfifo(path, 0o600) == 0)
        #expect(throws: VaultError.keyExposed(path: path, detail: "it is not a regular file")) {
            try vault.open(sealed, of: "work")
        }
    }

    @Test func `a folder that cannot be written gives a sentence`() throws {
        let vault = AccountVault(keyPath: directory.path("nowhere/accounts.key"))
        let error = #expect(throws: VaultError.self) { try vault.seal([1], of: "a", makesKey: true) }
        #expect(error?.sentence.contains("No such file") == true)
    }

    @Test func `what a crash left of a key is no key`() throws {
        try TestFiles.write([1, 2, 3], to: path + ".new", mode: 0o600)
        _ = try sealed()
        #expect(try TestFiles.read(path).count == 32)
        #expect(TestFiles.names(in: directory.path) == ["accounts.key"])
    }

    @Test func `many who make the key at once have the same`() throws {
        let results = Monitor<[[UInt8]]>([])
        let (vault, secret) = (vault, secret)
        for _ in 0..<8 {
            try TestThread.start {
                let sealed = try? vault.seal(secret, of: "work", makesKey: true)
                results.withLock { $0.append(sealed ?? []) }
            }
        }
        let all = results.wait(TimeLimit(seconds: 20)) { $0.count == 8 ? $0 : nil }
        for sealed in try #require(all) { #expect(try vault.open(sealed, of: "work") == secret) }
        #expect(TestFiles.names(in: directory.path) == ["accounts.key"])
    }

    @Test func `every error is one sentence that says what to do`() {
        let errors: [VaultError] = [
            .keyMissing(path: "/k"), .keyDamaged(path: "/k"), .keyExposed(path: "/k", detail: "x"),
            .keyUnusable(path: "/k", code: ENOSPC), .notOpened, .libraryFailed,
        ]
        for error in errors { #expect(error.sentence.hasSuffix(".") && error.sentence.contains(": "), "\(error)") }
    }
}
