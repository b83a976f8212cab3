// SPDX-License-Identifier: Apache-2.0
import OffstageAccounts
import OffstageTestSupport
import Testing

@Suite struct RSASignatureTests {
    /// Verified by the program `openssl`.
    @Test func `a signature is one that others accept`() throws {
        let directory = try TemporaryDirectory()
        func openssl(_ arguments: String...) throws -> CommandResult {
            try ChildProcess.run("/usr/bin/openssl", arguments)
        }
        let key = try openssl("genrsa", "2048").output
        try TestFiles.write(key, to: directory.path("key"))
        #expect(try openssl("rsa", "-in", directory.path("key"), "-pubout", "-out", directory.path("public")).isSuccess)
        let signature = try #require(RSASignature.sign("a.text", with: key))
        try TestFiles.write(signature, to: directory.path("signature"))
        try TestFiles.write("a.text", to: directory.path("text"))
        let verified = try openssl(
            "dgst",
            "-sha256",
            "-verify",
            directory.path("public"),
            "-signature",
            directory.path("signature"),
            directory.path("text")
        )
        #expect(verified.isSuccess, "\(verified)")
        let other = try openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout").output
        #expect(RSASignature.sign("a.text", with: other) == nil)
        let locked = try openssl("genrsa", "-aes128", "-passout", "pass:secret", "2048").output
        #expect(RSASignature.sign("a.text", with: locked) == nil)
        #expect(RSASignature.sign("a.text", with: "nonsense") == nil && RSASignature.sign("", with: "") == nil)
    }
}
