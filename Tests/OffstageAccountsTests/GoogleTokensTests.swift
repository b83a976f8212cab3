// SPDX-License-Identifier: Apache-2.0
import AccountTestSupport
import OffstageAccounts
import OffstageCore
import OffstageRuntime
import OffstageTestSupport
import Testing

@Suite struct GoogleTokensTests {
    private let harness: AccountHarness
    private let printed = Monitor<[String]>([])
    private let asked = Monitor(0)
    private let tokens: GoogleTokens
    private let credentials = GoogleCredentials(.command("print-token"))

    init() throws {
        harness = try AccountHarness()
        let (printed, asked) = (printed, asked)
        tokens = GoogleTokens(accounts: harness.center, workers: WorkerPool(threads: 1), clock: harness.clock) {
            _,
            _ in
            asked.withLock { $0 += 1 }
            return printed.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
        }
    }

    private func token(rejecting: String? = nil) async -> Result<GrantedToken, TransferFailure> {
        await tokens.token(for: credentials, rejecting: rejecting)
    }

    private func detail(_ result: Result<GrantedToken, TransferFailure>) -> String {
        if case .failure(let failure) = result { failure.detail } else { "" }
    }

    @Test func `a printed token is used for five minutes, by all`() async throws {
        printed.withLock { $0 = ["one\n", "two\n", "three\n"] }
        #expect(try await token().get().text == "one")
        harness.advance(by: 299)
        for _ in 0..<3 { #expect(try await token().get().text == "one") }
        harness.advance(by: 2)
        #expect(try await token().get().text == "two")
        #expect(asked.withLock { $0 } == 2)
        let other = GoogleCredentials(.command("print-token"), certificateAuthorityPath: "/ca.pem")
        #expect(try await tokens.token(for: other, rejecting: nil).get().text == "three")
    }

    @Test func `a refused token is asked for anew, and the same one again is final`() async throws {
        printed.withLock { $0 = ["one", "two", "two"] }
        #expect(try await token().get().text == "one")
        #expect(try await token(rejecting: "one").get().text == "two")
        // A caller that still has the first token gets the second, without a new question.
        #expect(try await token(rejecting: "one").get().text == "two")
        #expect(asked.withLock { $0 } == 2)
        let refused = await token(rejecting: "two")
        #expect(detail(refused) == "the server does not accept the token from the token command")
    }

    @Test func `those who ask at once share the answer`() async throws {
        printed.withLock { $0 = ["one", "two"] }
        let all = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<20 { group.addTask { try? await token().get().text } }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(all == [String?](repeating: "one", count: 20) && asked.withLock { $0 } == 1)
    }

    @Test(arguments: ["", "\n", "two words", "a\nb", "ümlaut", String(repeating: "a", count: 16_385)])
    func `what is no token is not used, and not shown`(text: String) async {
        printed.withLock { $0 = [text] }
        #expect(await detail(token()) == "the token command does not print one token and nothing else")
    }

    @Test func `a command that fails, and a key file that is none, are said`() async throws {
        #expect(await detail(token()) == "the token command failed")
        let path = harness.directory.path("key.json")
        func read() async -> String { await detail(tokens.token(for: .init(.keyFile(path)), rejecting: nil)) }
        #expect(await read() == "the key file \(path) cannot be read (No such file or directory)")
        try TestFiles.write("nonsense", to: path)
        #expect(await read() == "the key file \(path) is not a key file of Google's in JSON")
        let key = #"{"type":"service_account","client_email":"a@p","private_key":"none"}"#
        try TestFiles.write(key, to: path)
        #expect(await read() == "the key file \(path) has a private_key that cannot sign")
    }

    @Test func `a key is sent to no other machine by plain http`() async throws {
        let made = try ChildProcess.run("/usr/bin/openssl", ["genrsa", "2048"])
        let path = harness.directory.path("key.json")
        let pem = made.output.replacing("\n", with: "\\n")
        try TestFiles.write(
            #"{"type":"service_account","client_email":"a@p","private_key":"\#(pem)","token_uri":"http://other.example/t"}"#,
            to: path
        )
        let result = await tokens.token(for: .init(.keyFile(path)), rejecting: nil)
        #expect(detail(result).contains("names a server that no key is sent to"))
    }
}
