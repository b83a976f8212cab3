// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageFiles
import OffstageProtocol
import Testing

/// Which account's key signs, and how accounts that have a key are shown.
@Suite struct S3AccountChoiceTests {
    @Test func `the one account that fits is taken`() {
        let aws = AccountSamples.s3("aws")
        let minio = AccountSamples.s3("minio", at: "https://minio.example:9000")
        let dropbox = AccountSamples.row()
        #expect(AccountBook([dropbox]).onlyS3Account(at: nil) == nil && !AccountBook([dropbox]).hasS3Accounts)
        #expect(AccountBook([dropbox, aws]).onlyS3Account(at: nil) == "aws")
        #expect(AccountBook([aws, minio]).onlyS3Account(at: nil) == nil)
        #expect(AccountBook([aws, minio]).onlyS3Account(at: "https://minio.example:9000") == "minio")
        #expect(AccountBook([aws]).onlyS3Account(at: "https://minio.example:9000") == nil)
    }

    @Test func `an account has to be usable, and at the service that is wanted`() throws {
        let book = AccountBook([AccountSamples.s3(), AccountSamples.row(), AccountSamples.s3("old", .needsSignIn)])
        #expect(try book.account("s3", .s3).name == "s3" && book.account("dropbox").name == "dropbox")
        for (name, kind, words) in [
            ("dropbox", Account.Kind.s3, "is an account at Dropbox, not at S3"),
            ("s3", .dropbox, "with --account s3"), ("none", .s3, "'offstage account add s3 --name none' adds one"),
            ("none", .dropbox, "'offstage account add dropbox --name none' signs in to one"),
            ("old", .s3, "Give it another key with 'offstage account add s3 --name old'"),
        ] {
            let error = #expect(throws: CommandFailure.self) { try book.account(name, kind) }
            #expect(error?.sentences.joined().contains(words) == true, "\(name): \(error?.sentences ?? [])")
        }
    }

    @Test(arguments: [
        ("AWS_PROFILE", true), ("AWS_DEFAULT_PROFILE", true), ("AWS_ACCESS_KEY_ID", true), ("AWS_REGION", false),
    ])
    func `the variables of the AWS command line name keys`(name: String, names: Bool) {
        #expect(S3Place.Wish().namesKeys([name: "a"]) == names && !S3Place.Wish().namesKeys([name: ""]))
        #expect(S3Place.Wish(profile: "a").namesKeys([:]) && S3Place.Wish(account: "a").namesKeys([:]))
    }

    @Test func `an account needs no files, and none of the variables`() throws {
        let variables = ["AWS_ENDPOINT_URL": "https://e.example", "AWS_REGION": "r", "AWS_PROFILE": "p"]
        let place = try S3Place.find(.init(account: "a"), variables, workingDirectory: "/")
        #expect(place.keys == .account("a"))
        #expect(place.endpoint == S3Endpoint(base: nil, region: S3Endpoint.defaultRegion))
        let other = try S3Place.find(.init(account: "a", endpoint: "HTTPS://H/"), [:], workingDirectory: "/")
        #expect(other.endpoint.base == "https://h")
        #expect(throws: S3Place.Problem.self) {
            try S3Place.find(.init(account: "a", profile: "b"), [:], workingDirectory: "/")
        }
    }

    @Test func `everything about a key but the key`() {
        let lines = AccountText.lines(AccountSamples.s3("minio", at: "https://m.example", .needsSignIn), now: noon)
        for line in [
            "Service:      s3", "Key:          AKIA…MPLE", "State:        needs a new key", "Region:       eu-west-1",
            "To do:        offstage account add s3 --name minio", "Server:       https://m.example",
        ] { #expect(lines.contains(line), "\(lines)") }
        #expect(!lines.contains { $0.hasPrefix("App key") || $0.hasPrefix("Access") || $0.hasPrefix("Signed in") })
    }

    @Test func `an open upload is named by enough of its ID`() throws {
        let uploads = ["abcd1", "abcd2", "abcd", "xyz-1"].map { OpenUpload(key: "k", id: $0, begun: nil) }
        #expect(try OpenUploadsCheck.chosen("xyz-", of: uploads).id == "xyz-1")
        #expect(try OpenUploadsCheck.chosen("abcd", of: uploads).id == "abcd", "a whole ID is that one")
        for beginning in ["abc", "none"] {
            #expect(throws: CommandFailure.self) { try OpenUploadsCheck.chosen(beginning, of: uploads) }
        }
        // Uploads that are not listed may have the same beginning.
        #expect(throws: CommandFailure.self) { try OpenUploadsCheck.chosen("xyz-", of: uploads, isComplete: false) }
        #expect(try OpenUploadsCheck.chosen("xyz-1", of: uploads, isComplete: false).id == "xyz-1")
    }
}
