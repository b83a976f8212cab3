// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTransfers
import Testing

/// The admission of an upload in a dialect at its hand-over, by its account.
@Suite struct DialectAdmissionTests {
    private let now = Moment(wall: Date(timeIntervalSince1970: 1_790_000_000), bootID: "boot", uptime: 100)

    private func account(at base: String? = nil, authority: String? = nil) throws -> Account {
        Account(
            name: "work",
            appKey: "key",
            endpoints: try base.map { base throws(RequestError) in try DropboxEndpoints(below: base) } ?? .dropbox,
            addedAt: now.wall,
            certificateAuthorityPath: authority
        )
    }

    private func spec(_ change: (inout DropboxParameters) -> Void = { _ in }) throws -> TransferSpec {
        var parameters = DropboxParameters(account: "work", path: "/a")
        change(&parameters)
        let identity = FileIdentity(device: 1, inode: 2, size: 3, modified: 4)
        var spec = TransferSpec(
            direction: .upload(.init(path: "/tmp/a", identity: identity)),
            url: try parameters.url(),
            owner: "command"
        )
        spec.dialect = try parameters.dialectSpec()
        return spec
    }

    private func parameters(_ spec: TransferSpec) throws -> DropboxParameters {
        try DropboxParameters(try #require(spec.dialect))
    }

    @Test func `its account is read from it`() throws {
        #expect(try Dialects.account(of: spec()) == "work")
        var plain = try spec()
        plain.dialect = nil
        #expect(try Dialects.account(of: plain) == nil)
        #expect(try Dialects.settled(plain, for: nil, now: now) == plain)
    }

    @Test func `an owner who names no place means the account's`() throws {
        let account = try account(at: "http://127.0.0.1:8800", authority: "/etc/ca.pem")
        let settled = try Dialects.settled(spec { $0.mode = .overwrite }, for: account, now: now)
        #expect(settled.url.unredacted == "http://127.0.0.1:8800/2/files/upload")
        #expect(try parameters(settled).api == "http://127.0.0.1:8800/2")
        #expect(try parameters(settled).mode == .overwrite)
        #expect(settled.certificateAuthorityPath == "/etc/ca.pem")
        #expect(try Dialects.settled(settled, for: account, now: now) == settled, "once is as good as twice")
    }

    @Test func `what the owner chose to trust is not changed`() throws {
        var chosen = try spec()
        chosen.certificateAuthorityPath = "/mine.pem"
        let settled = try Dialects.settled(chosen, for: try account(authority: "/etc/ca.pem"), now: now)
        #expect(settled.certificateAuthorityPath == "/mine.pem")
    }

    @Test func `the account's proxies are those of an owner who has none`() throws {
        var account = try account()
        account.proxy = .init(https: "http://p:1", none: "localhost")
        #expect(try Dialects.settled(spec(), for: account, now: now).proxy == account.proxy)
        var chosen = try spec()
        chosen.proxy.all = "http://q:2"
        #expect(try Dialects.settled(chosen, for: account, now: now).proxy == .init(all: "http://q:2"))
    }

    @Test func `whose account it is for is the daemon's to say`() throws {
        var account = try account()
        account.accountID = "dbid:1"
        let settled = try Dialects.settled(spec { $0.accountID = "dbid:2" }, for: account, now: now)
        #expect(try parameters(settled).accountID == "dbid:1")
        #expect(try Dialects.make(settled, memory: nil, now: now).tokenOwner == "dbid:1")
        account.accountID = nil
        #expect(try parameters(Dialects.settled(spec(), for: account, now: now)).accountID == nil)
    }

    @Test(arguments: ["http://127.0.0.1:8801/2", "https://content.dropboxapi.com.example/2"])
    func `another place than the account's is refused`(place: String) throws {
        for account in [try account(), try account(at: "http://127.0.0.1:8800")] {
            for isAPI in [true, false] {
                let spec = try spec { if isAPI { $0.api = place } else { $0.content = place } }
                #expect(throws: RequestError.self) { try Dialects.settled(spec, for: account, now: now) }
            }
        }
    }

    @Test func `without its account it is as it was, if it can be spoken at all`() throws {
        #expect(try Dialects.settled(spec(), for: nil, now: now) == spec().asPosted)
        var unknown = try spec()
        unknown.dialect?.name = "x\u{1b}y"
        let error = try #require(throws: RequestError.self) { try Dialects.settled(unknown, for: nil, now: now) }
        #expect(error.sentence.contains("is not known to this daemon") && !error.sentence.contains("\u{1b}"))
        var damaged = try spec()
        damaged.dialect?.parameters = "no JSON"
        #expect(throws: RequestError.self) { try Dialects.settled(damaged, for: nil, now: now) }
        var download = try spec()
        download.direction = .download(.init(path: "/tmp/a"))
        #expect(throws: RequestError.self) { try Dialects.settled(download, for: nil, now: now) }
    }

    @Test func `what is shown and counted follows from the parameters, whatever the owner wrote`() throws {
        var lying = try spec()
        lying.dialect?.destination = "dropbox:/elsewhere"
        lying.url = try RequestURL("https://other.example/")
        lying.method = "DELETE"
        let settled = try Dialects.settled(lying, for: try account(), now: now)
        #expect(settled.destination == "work:/a")
        #expect(settled.url == (try spec().url) && settled.method == "POST")
    }

    @Test func `an account owns its two places and no others`() throws {
        let account = try account()
        let endpoints = DropboxEndpoints.dropbox
        #expect(account.owns([endpoints.api, endpoints.content]))
        #expect(account.owns([endpoints.content]))
        #expect(!account.owns([]))
        #expect(!account.owns([endpoints.api, endpoints.token]))
        #expect(!account.owns([endpoints.api + "/"]))
    }
}

/// The admission of S3 transfers whose keys are in an account.
@Suite struct S3AdmissionTests {
    private static let now = Moment(wall: Date(timeIntervalSince1970: 1_790_000_000), bootID: "boot", uptime: 100)

    private static func account(_ base: String? = "https://minio.example:9000", region: String = "garage") -> Account {
        Account(
            name: "minio",
            service: .s3(S3Endpoint(base: base, region: region)),
            addedAt: now.wall,
            certificateAuthorityPath: "/etc/ca.pem"
        )
    }

    private static func spec(isUpload: Bool, at base: String? = nil, region: String = "us-east-1") throws
        -> TransferSpec
    {
        let object = S3Object(
            S3Location(bucket: "films", key: "a"),
            at: S3Endpoint(base: base, region: region),
            keys: .account("minio")
        )
        let identity = FileIdentity(device: 1, inode: 2, size: 3, modified: 4)
        var spec = TransferSpec(
            direction: isUpload ? .upload(.init(path: "/tmp/a", identity: identity)) : .download(.init(path: "/tmp/a")),
            url: try object.url(),
            owner: "command"
        )
        let marker = String(repeating: "0", count: 32)
        spec.dialect = isUpload ? try S3Parameters(object, marker: marker).dialectSpec() : try object.dialectSpec()
        return spec
    }

    @Test(arguments: [true, false]) func `its account says where it goes`(isUpload: Bool) throws {
        let spec = try Self.spec(isUpload: isUpload)
        #expect(try Dialects.account(of: spec) == "minio")
        let settled = try Dialects.settled(spec, for: Self.account(), now: Self.now)
        #expect(settled.url.unredacted == "https://minio.example:9000/films/a")
        let object = try S3Object(try #require(settled.dialect))
        #expect(object.endpoint == S3Endpoint(base: "https://minio.example:9000", region: "garage"))
        #expect(settled.certificateAuthorityPath == "/etc/ca.pem")
        #expect(try Dialects.settled(settled, for: Self.account(), now: Self.now) == settled)
        let absent = try Dialects.settled(spec, for: nil, now: Self.now)
        #expect(absent.url.unredacted == "https://films.s3.us-east-1.amazonaws.com/a")
    }

    @Test(arguments: [true, false]) func `another server than the account's is refused`(isUpload: Bool) throws {
        for (place, account) in [
            ("https://other.example", Self.account()), ("http://minio.example:9000", Self.account()),
            ("https://ec2-1.compute.amazonaws.com", Self.account(nil)),
        ] {
            let spec = try Self.spec(isUpload: isUpload, at: place)
            let error = #expect(throws: RequestError.self) {
                try Dialects.settled(spec, for: account, now: Self.now)
            }
            #expect(error?.sentence.contains("the account 'minio', which is at") == true, "\(place)")
        }
        let dropbox = Account(name: "minio", appKey: "k", addedAt: Self.now.wall)
        let spec = try Self.spec(isUpload: isUpload)
        #expect(throws: RequestError.self) { try Dialects.settled(spec, for: dropbox, now: Self.now) }
    }

    @Test func `a bucket at AWS may be in another region than the account's`() throws {
        let spec = try Self.spec(isUpload: true, region: "eu-west-1")
        let settled = try Dialects.settled(spec, for: Self.account(nil, region: "us-west-2"), now: Self.now)
        #expect(settled.url.host == "films.s3.eu-west-1.amazonaws.com")
    }
}

extension TransferSpec {
    /// The specification as the daemon holds it.
    fileprivate var asPosted: TransferSpec {
        var spec = self
        spec.method = "POST"
        return spec
    }
}
