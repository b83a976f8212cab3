// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct AWSProfileFilesTests {
    private func profile(_ name: String) -> AWSProfile {
        AWSProfile(name: name, credentialsPath: "/home/a/.aws/credentials", configPath: "/home/a/.aws/config")
    }

    private func read(_ name: String, credentials: String?, config: String? = nil) -> AWSProfileFiles {
        AWSProfileFiles(name, credentials: credentials.map { Array($0.utf8) }, config: config.map { Array($0.utf8) })
    }

    private func detail(_ files: AWSProfileFiles, _ name: String) -> String? {
        if case .failure(let failure) = files.keySource(of: profile(name)) { failure.detail } else { nil }
    }

    @Test func `a profile is what stands below its name, in both files`() throws {
        let credentials = """
            # keys
            [default]
            aws_access_key_id=A
            aws_secret_access_key = s/e+c=ret
            [ work ]\r
            aws_access_key_id = B\r
            aws_secret_access_key = two\r
            AWS_Session_Token = \(String(repeating: "t", count: 3000))
            ; region = wrong
            """
        let config = """
            [profile work]
            region = eu-central-1
            aws_access_key_id = not this one
            s3 =
              addressing_style = path
            endpoint_url = http://127.0.0.1:9000
            [default]
            region=us-west-2
            """
        let work = read("work", credentials: credentials, config: config)
        let key = AccessKey(id: "B", secret: "two", sessionToken: String(repeating: "t", count: 3000))
        #expect(try work.keySource(of: profile("work")).get() == .key(key))
        #expect(work.values["region"] == "eu-central-1" && work.values["endpoint_url"] == "http://127.0.0.1:9000")
        #expect(work.values["addressing_style"] == nil)
        let usual = read("default", credentials: credentials, config: config)
        #expect(try usual.keySource(of: profile("default")).get() == .key(AccessKey(id: "A", secret: "s/e+c=ret")))
        #expect(usual.values["region"] == "us-west-2")
    }

    @Test func `a key's parts are from one file, and an empty token is none`() throws {
        let files = read(
            "a",
            credentials: "[a]\naws_access_key_id = A\naws_secret_access_key = s\naws_session_token =\n",
            config: "[profile a]\naws_session_token = t\n"
        )
        #expect(try files.keySource(of: profile("a")).get() == .key(AccessKey(id: "A", secret: "s")))
    }

    @Test func `a command may print the key`() throws {
        let files = read("sso", credentials: nil, config: "[profile sso]\ncredential_process = /bin/keys  --for me\n")
        #expect(try files.keySource(of: profile("sso")).get() == .command("/bin/keys --for me"))
    }

    @Test func `what is missing is said`() {
        #expect(detail(read("a", credentials: nil), "a") == "there is no profile 'a' in /home/a/.aws/credentials")
        #expect(detail(read("a", credentials: "[a]\nregion=x"), "a")?.contains("has no aws_access_key_id") == true)
        let role = read("a", credentials: nil, config: "[profile a]\nrole_arn = arn:aws:iam::1:role/r\n")
        #expect(detail(role, "a")?.contains("role_arn") == true)
        #expect(detail(role, "a")?.contains("credential_process = aws configure export-credentials") == true)
        let both = read(
            "a",
            credentials: "[a]\naws_access_key_id = A\naws_secret_access_key = s\n",
            config: "[profile a]\nsso_session = me\naws_session_token = of another key\n"
        )
        #expect(detail(both, "a")?.contains("sso_session") == true, "it would be another identity's key")
        let broken = read("a", credentials: "[a]\naws_access_key_id = two words\naws_secret_access_key = x\n")
        #expect(detail(broken, "a")?.contains("characters no key can have") == true)
    }

    @Test(arguments: ["", "[", "[]", "=", "[a", "[a]=", "[a]\n=\n==\n[\n", "\u{0}[a]\u{0}=\u{0}", "a=b\n[a]"])
    func `any text is read`(text: String) {
        let files = read("a", credentials: text, config: text)
        #expect(detail(files, "a") != nil)
    }
}
