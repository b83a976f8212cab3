// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

/// `offstage show --receipt` and `offstage verify`, after real transfers.
@Suite struct ReceiptTests {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        try daemon.settings(#"{"retryBaseDelay": 0.05, "retryMaximumDelay": 0.1}"#)
        server = try FaultServer()
    }

    private func receipt(_ id: Int = 1) throws -> JSONValue {
        try daemon.json("show", "--receipt", "\(id)").receipts[0]
    }

    @Test func `an upload that broke off says what it sent again, and its file can be verified`() throws {
        let file = try daemon.makeFile("a.bin", bytes: 3_000_000)
        let tag = HeaderField(name: "ETag", value: "\"final\"")
        server.script("/in/a.bin", .cutsUpload(after: 1_000_000), .status(201, [tag]))
        #expect(try daemon.run("upload", "--sha256", "a.bin", server.url("/in/")).isSuccess)
        let receipt = try receipt()
        #expect(receipt.bytes.integer == 3_000_000 && receipt.attempts.integer == 2)
        let again = try #require(receipt.bytesRepeated.integer)
        #expect(again >= 1_000_000 && again <= 3_000_000)
        #expect(receipt.proofs[0].sha256.string == file.sha256)
        #expect(receipt.proofs[0].statedBy.string == "offstage")
        #expect(receipt.entityTag.string == "\"final\"")

        let intact = try daemon.run("verify", "1")
        #expect(intact.isSuccess && intact.output.contains("a.bin is what was transferred"), "\(intact)")
        try TestFiles.write("other", to: daemon.path("copy"))
        let shorter = try daemon.run("verify", "1", "--file", "copy")
        #expect(
            !shorter.isSuccess && shorter.output.contains("has 5 bytes, and 3000000 were transferred"),
            "\(shorter)"
        )
        // One byte in three million.
        var bytes = try TestFiles.read(file.path)
        bytes[1_500_000] ^= 1
        try TestFiles.write(bytes, to: file.path)
        let changed = try daemon.run("verify", "1", "--json")
        #expect(!changed.isSuccess)
        let finding = try JSONValue(parsing: changed.output).transfers[0]
        #expect(finding.isVerified.bool == false)
        #expect(finding.sentence.string?.contains("is not what was transferred: its SHA-256 is") == true)
    }

    @Test func `a download records the digest of what was saved, if that is wanted`() throws {
        let file = FaultFile(random: 100_000, seed: 5)
        server.script("/a", .file(file))
        server.script("/b", .file(file))
        #expect(try daemon.run("download", "--sha256", server.url("/a")).isSuccess)
        #expect(try receipt().proofs[0].sha256.string == TestFiles.sha256(daemon.path("a")))
        #expect(try receipt().bytesRepeated.integer == 0)
        #expect(try daemon.run("verify", "1").isSuccess)
        #expect(try daemon.run("download", server.url("/b")).isSuccess)
        #expect(try receipt(2).proofs[0] == .null)
        let unproven = try daemon.run("verify", "2")
        #expect(!unproven.isSuccess && unproven.output.contains("nothing is proven"), "\(unproven)")
        // The content is the same, so the receipt is valid for this file as well.
        #expect(try daemon.run("verify", "1", "--file", "b").isSuccess)
    }

    @Test func `an owner's checksum counts for more than what the server has stated`() throws {
        let file = FaultFile(random: 1000, seed: 5)
        let wrong = Data(repeating: 10, count: 32).base64EncodedString()
        let stated = HeaderField(name: "Repr-Digest", value: "sha-256=:\(wrong):")
        server.script(
            "/a",
            FaultAnswer {
                try $0.readBody()
                try $0.respond(200, [stated], body: file.bytes)
            }
        )
        try TestFiles.write(file.bytes, to: daemon.path("copy"))
        let sum = "sha256:" + (try TestFiles.sha256(daemon.path("copy")))
        #expect(try daemon.run("download", "--checksum", sum, server.url("/a")).isSuccess)
        #expect(try receipt().proofs[1].isConfirmed.bool == false)
        let verified = try daemon.run("verify", "1")
        #expect(verified.isSuccess && verified.output.contains("a is what was transferred: 1000 bytes"), "\(verified)")
    }

    @Test func `what has no receipt is said in one sentence`() throws {
        server.script("/a", .status(404))
        #expect(try !daemon.run("download", server.url("/a")).isSuccess)
        let shown = try daemon.run("show", "--receipt", "1")
        #expect(!shown.isSuccess && shown.output == "Transfer 1 has no receipt: it did not complete.\n", "\(shown)")
        let verified = try daemon.run("verify", "1")
        #expect(!verified.isSuccess && verified.output.contains("it has no receipt: it did not complete"))
        #expect(try daemon.run("verify", "99").errors.contains("99"))
    }

    @Test func `an object at its server is compared without fetching it`() throws {
        try TestFiles.makeDirectory(daemon.path("aws"))
        try TestFiles.write(
            "[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = hunter2-secret\n",
            to: daemon.path("aws/credentials")
        )
        try TestFiles.write("[default]\nendpoint_url = \(server.url(""))\n", to: daemon.path("aws/config"))
        let variables = [
            "AWS_SHARED_CREDENTIALS_FILE": daemon.path("aws/credentials"),
            "AWS_CONFIG_FILE": daemon.path("aws/config"),
        ]
        try TestFiles.write("content", to: daemon.path("x"))
        let tag = HeaderField(name: "ETag", value: "\"e\"")
        server.script("/films/x", .status(200, [tag]))
        #expect(try daemon.run(["upload", "x", "s3://films/"], environment: variables).isSuccess)
        for (answer, isVerified, words) in [
            (
                FaultAnswer.status(200, [tag], body: "content"), true,
                "s3://films/x is the object of the transfer: 7 bytes"
            ),
            (
                .status(200, [HeaderField(name: "ETag", value: "\"f\"")], body: "content"), false,
                "its ETag is \"f\", not \"e\""
            ),
            (.status(200, [tag], body: "contents"), false, "has 8 bytes now, and 7 were transferred"),
            (.status(200, body: "content"), false, "nothing is proven"),
            (.status(404), false, "its server says that there is nothing at s3://films/x any more"),
            (.status(403), false, "may not read s3://films/x at"), (.status(400), false, "may have expired"),
            (.status(500), false, "Asking the server failed"), (.closes, false, "Asking the server failed"),
        ] {
            server.script("/films/x", answer)
            let result = try daemon.run("verify", "--at-server", "1")
            #expect(result.isSuccess == isVerified && result.output.contains(words), "\(result)")
        }
        let request = try #require(server.requests.last)
        #expect(request.method == "HEAD" && request.headers["x-amz-checksum-mode"] == "ENABLED")
        #expect(request.headers["Authorization"]?.contains("Credential=AKIDEXAMPLE/") == true)
        #expect(!daemon.log.contains("hunter2"))
        #expect(try daemon.run("verify", "--at-server", "--file", "x", "1").code == 2)
    }

    @Test func `a snapshot is verified against a named file`() throws {
        _ = try daemon.makeFile("a.bin", bytes: 10_000)
        server.script("/in/a.bin", .status(201))
        #expect(try daemon.run("upload", "--snapshot", "--sha256", "a.bin", server.url("/in/")).isSuccess)
        let gone = try daemon.run("verify", "1")
        #expect(!gone.isSuccess && gone.output.contains("name the file with --file"), "\(gone)")
        #expect(try daemon.run("verify", "1", "--file", "a.bin").isSuccess)
    }
}
