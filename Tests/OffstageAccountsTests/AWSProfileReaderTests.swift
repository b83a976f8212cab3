// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageAccounts
import OffstageCore
import OffstageRuntime
import OffstageTestSupport
import Testing

@Suite struct AWSProfileReaderTests {
    private let directory: TemporaryDirectory
    private let workers = WorkerPool(threads: 1)
    private let profile: AWSProfile

    init() throws {
        directory = try TemporaryDirectory()
        profile = AWSProfile(
            name: "work",
            credentialsPath: directory.path("credentials"),
            configPath: directory.path("config")
        )
    }

    private func key(
        rejecting: String? = nil,
        _ command: @escaping @Sendable (String) -> String? = { _ in nil }
    ) async -> Result<GrantedToken, TransferFailure> {
        let reader = AWSProfileReader(workers: workers) { text, _ in command(text) }
        return await reader.key(of: profile, rejecting: rejecting)
    }

    private func detail(_ result: Result<GrantedToken, TransferFailure>) -> String {
        if case .failure(let failure) = result { failure.detail } else { "" }
    }

    @Test func `a key is read as the file has it now`() async throws {
        #expect(await detail(key()).contains("there is no profile 'work'"))
        try TestFiles.write("[work]\naws_access_key_id=A\naws_secret_access_key=s\n", to: profile.credentialsPath)
        #expect(try await key().get().accessKey == AccessKey(id: "A", secret: "s"))
        #expect(await detail(key(rejecting: "A")).contains("may have expired"))
        try TestFiles.write("[work]\naws_access_key_id=B\naws_secret_access_key=t\n", to: profile.credentialsPath)
        #expect(try await key(rejecting: "A").get().accessKey?.id == "B")
    }

    @Test func `a command's key is read, and what it prints otherwise is not shown`() async throws {
        try TestFiles.write("[profile work]\ncredential_process = keys\n", to: profile.configPath)
        let printed = #"{"Version":1,"AccessKeyId":"C","SecretAccessKey":"s","SessionToken":"t","Expiration":"x"}"#
        #expect(
            try await key { $0 == "keys" ? printed : nil }.get().accessKey
                == AccessKey(id: "C", secret: "s", sessionToken: "t")
        )
        #expect(await detail(key { _ in nil }).contains("credential_process of the profile 'work' failed"))
        #expect(await !detail(key { _ in "secret nonsense" }).contains("nonsense"))
        #expect(await detail(key { _ in #"{"AccessKeyId":"a b","SecretAccessKey":"s"}"# }).contains("no key can have"))
    }

    @Test func `a file that cannot be read is named`() async throws {
        try TestFiles.makeDirectory(profile.credentialsPath)
        #expect(await detail(key()) == "\(profile.credentialsPath) cannot be read (it is not a regular file)")
    }
}
