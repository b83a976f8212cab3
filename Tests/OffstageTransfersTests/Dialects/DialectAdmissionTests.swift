// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTransfers
import Testing

/// What becomes of an upload in a dialect when it is handed over, by the account that it is for.
@Suite struct DialectAdmissionTests {
    private let now = Moment(wall: Date(timeIntervalSince1970: 1_790_000_000), bootID: "boot", uptime: 100)

    private func account(at base: String? = nil, authority: String? = nil) throws -> Account {
        Account(
            name: "work",
            kind: .dropbox,
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
        #expect(account.owns([account.endpoints.api, account.endpoints.content]))
        #expect(account.owns([account.endpoints.content]))
        #expect(!account.owns([]))
        #expect(!account.owns([account.endpoints.api, account.endpoints.token]))
        #expect(!account.owns([account.endpoints.api + "/"]))
    }
}

extension TransferSpec {
    /// As the daemon has it.
    fileprivate var asPosted: TransferSpec {
        var spec = self
        spec.method = "POST"
        return spec
    }
}
