// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFleet
import OffstageTestSupport
import Testing

@Suite struct SealingTests {
    private let fleet = "5f0c6a52-1f2b-4b8e-9d7e-3a54c1c9a001"
    private let spec = #"{"url":"https://files.example/"}"#

    @Test func `HKDF gives what RFC 5869 does`() throws {
        // Appendix A.1 and A.3.
        let key = [UInt8](repeating: 0x0b, count: 22)
        let first = try KeyDerivation.extract(salt: bytes("000102030405060708090a0b0c"), key)
        #expect(first == bytes("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"))
        let long = try KeyDerivation.expand(first, info: bytes("f0f1f2f3f4f5f6f7f8f9"), count: 42)
        #expect(
            long
                == bytes(
                    "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
                )
        )
        let plain = try KeyDerivation.extract(salt: [], key)
        #expect(plain == bytes("19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04"))
        #expect(
            try KeyDerivation.expand(plain, info: [], count: 42)
                == bytes(
                    "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
                )
        )
    }

    @Test func `two halves agree on what RFC 7748 says`() throws {
        // Section 6.1.
        let alice = try FleetKey(
            privateBytes: bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
        )
        let bob = try FleetKey(
            privateBytes: bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
        )
        #expect(
            alice.publicKey.bytes == bytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
        )
        #expect(bob.publicKey.bytes == bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
        let shared = bytes("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
        #expect(alice.agree(with: bob.publicKey.bytes) == shared)
        #expect(bob.agree(with: alice.publicKey.bytes) == shared)
        // With a point of small order, every agreement results in zero (section 6.1).
        #expect(alice.agree(with: [UInt8](repeating: 0, count: 32)) == nil)
        #expect(alice.agree(with: [1] + [UInt8](repeating: 0, count: 31)) == nil)
        #expect(alice.agree(with: [1, 2, 3]) == nil)
    }

    private let sender = "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431"
    private let receiver = "3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d"
    private let info = "4f6465206f6e2061204772656369616e2055726e"

    @Test(arguments: [
        (
            UInt64(0), "436f756e742d30",
            "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a"
        ),
        (
            1, "436f756e742d31",
            "af2d7e9ac9ae7e270f46ba1f975be53c09f8d875bdc8535458c2494e8a6eab251c03d0c22a56b8ca42c2063b84"
        ),
        (
            256, "436f756e742d323536",
            "957f9800542b0b8891badb026d79cc54597cb2d225b54c00c5238c25d05c30e3fbeda97d2e0e1aba483a2df9f2"
        ),
    ]) func `sealing gives what RFC 9180 does`(number: UInt64, bound: String, sealed: String) throws {
        // Appendix A.1.1, which uses AES-128.
        let own = try FleetKey(
            privateBytes: bytes("52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736")
        )
        let text = bytes("4265617574792069732074727574682c20747275746820626561757479")
        let context = try HybridContext(
            own,
            with: bytes(receiver),
            sender: bytes(sender),
            receiver: bytes(receiver),
            info: bytes(info),
            cipher: .aes128
        )
        #expect(try context.seal(text, bytes(bound), number: number) == bytes(sealed))
        #expect(try context.open(bytes(sealed), bytes(bound), number: number) == text)
    }

    @Test func `what another implementation has sealed opens`() throws {
        // Made with the Python package cryptography 48.0.0: X25519, HKDF-SHA-256, AES-256-GCM, to A.1.1's receiver.
        let sealed = bytes(
            "0c1ee08f0d999bfb426117fd3ff9b651d91e80b79d46dffd3cf5155d332f0d7f4aaebe26792f1e7b"
                + "0995db0340c7b826c4c940ac04a2a8182bc63691cd41c7d22b7231cac27d0144835acd6e86"
        )
        let own = try FleetKey(
            privateBytes: bytes("4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8")
        )
        #expect(own.publicKey.bytes == bytes(receiver))
        let sender = Array(sealed.prefix(32))
        let context = try HybridContext(
            own,
            with: sender,
            sender: sender,
            receiver: bytes(receiver),
            info: bytes(info)
        )
        let text = try context.open(Array(sealed.dropFirst(32)), [], number: 0)
        #expect(String(decoding: text, as: UTF8.self) == "Beauty is truth, truth beauty")
    }

    @Test func `what is sealed opens for its subject alone, and no byte of it may change`() throws {
        let key = try FleetKey()
        let sealer = try FleetSealer(to: key.publicKey, fleet: fleet)
        let opener = FleetOpener(key, fleet: fleet)
        let secret = Array("Authorization: Bearer tiger".utf8)
        let subject = SealSubject(.secrets, of: spec)
        let sealed = try sealer.seal(secret, subject)
        #expect(try opener.open(sealed, subject) == secret)
        let again = try sealer.seal(secret, subject)
        #expect(again != sealed)
        #expect(try opener.open(again, subject) == secret)
        for place in sealed.indices {
            var changed = sealed
            changed[place] ^= 1
            #expect(throws: SealError.notOpened) { try opener.open(changed, subject) }
        }
        for count in 0..<sealed.count {
            #expect(throws: SealError.notOpened) { try opener.open(Array(sealed.prefix(count)), subject) }
        }
        let others = [
            SealSubject(.secrets, of: spec + " "), SealSubject(.memory(row: 1), of: spec),
            SealSubject(.secrets, of: ""),
        ]
        for other in others { #expect(throws: SealError.notOpened) { try opener.open(sealed, other) } }
        let memory = try sealer.seal([], SealSubject(.memory(row: 7), of: spec))
        #expect(try opener.open(memory, SealSubject(.memory(row: 7), of: spec)) == [])
        #expect(throws: SealError.notOpened) { try opener.open(memory, SealSubject(.memory(row: 8), of: spec)) }
        let another = FleetOpener(try FleetKey(), fleet: fleet)
        #expect(throws: SealError.notOpened) { try another.open(sealed, subject) }
        let elsewhere = FleetOpener(key, fleet: "5f0c6a52-1f2b-4b8e-9d7e-3a54c1c9a002")
        #expect(throws: SealError.notOpened) { try elsewhere.open(sealed, subject) }
    }

    @Test func `a key in a file is the same key, and its file is for one user`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("fleet.key")
        let key = try FleetKey()
        try key.write(to: path)
        let read = try FleetKey(path: path)
        #expect(read.publicKey == key.publicKey)
        #expect(key.publicKey.fingerprint.hasPrefix("sha256//") && key.publicKey.fingerprint.utf8.count == 52)
        #expect(key.publicKey.matches(fingerprint: read.publicKey.fingerprint))
        #expect(!key.publicKey.matches(fingerprint: try FleetKey().publicKey.fingerprint))
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600)
        #expect(throws: SealError.keyFile(path: path, detail: "there is such a file already")) {
            try key.write(to: path)
        }
        #expect(chmod(path, 0o640) == 0)
        #expect(throws: SealError.self) { try FleetKey(path: path) }
        #expect(chmod(path, 0o600) == 0)
        let link = folder.path("link")
        #expect(symlink(path, link) == 0)
        #expect(throws: SealError.keyFile(path: link, detail: "it is a symbolic link")) { try FleetKey(path: link) }
        #expect(throws: SealError.self) { try FleetKey(path: folder.path) }
        #expect(throws: SealError.self) { try FleetKey(path: folder.path("nothing")) }
    }

    @Test(arguments: [
        "", "nonsense", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        String(repeating: "x", count: 5000),
    ]) func `a file that holds no such key is refused`(text: String) throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("fleet.key")
        try TestFiles.write(text, to: path)
        #expect(chmod(path, 0o600) == 0)
        #expect(throws: SealError.self) { try FleetKey(path: path) }
    }

    @Test func `openssl reads the key, and one that it has made is read`() throws {
        let folder = try TemporaryDirectory()
        let ours = folder.path("ours.pem")
        try FleetKey().write(to: ours)
        let shown = try ChildProcess.run("/usr/bin/openssl", ["pkey", "-in", ours, "-noout", "-text"], directory: "/")
        #expect(shown.isSuccess && shown.output.contains("X25519"))
        for (algorithm, isTaken) in [("X25519", true), ("ED25519", false)] {
            let theirs = folder.path(algorithm)
            let made = try ChildProcess.run(
                "/usr/bin/openssl",
                ["genpkey", "-algorithm", algorithm, "-out", theirs],
                directory: "/"
            )
            #expect(made.isSuccess && chmod(theirs, 0o600) == 0)
            #expect(((try? FleetKey(path: theirs)) != nil) == isTaken)
        }
    }

    private func bytes(_ hexadecimal: String) -> [UInt8] { FleetBytes.read("\\x" + hexadecimal, most: 4096) ?? [] }
}
