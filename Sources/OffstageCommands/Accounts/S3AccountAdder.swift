// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageFiles
import OffstageProtocol

/// `offstage account add s3` takes a key for an S3 server, which the daemon keeps sealed.
struct S3AccountAdder {
    let name: String
    let keyID: String?
    let region: String?
    let endpoint: String?
    let certificateAuthority: String?

    static let options = [
        CommandOption("--access-key", value: "ID", help: "s3: the key's ID, which is no secret (asked for)"),
        CommandOption("--region", value: "REGION", help: "s3: the usual region (us-east-1)"),
        CommandOption(
            "--endpoint-url",
            value: "URL",
            help: "s3: a server other than AWS, the only one the key is used at"
        ),
    ]

    /// Options of other services are refused.
    init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        keyID = arguments.takeValue("--access-key")
        region = try arguments.takeValue("--region", "a region, such as us-east-1") {
            S3Endpoint.isRegion($0) ? $0 : nil
        }
        endpoint = arguments.takeValue("--endpoint-url").map(S3Place.tidied)
        name = arguments.takeValue("--name") ?? "s3"
        certificateAuthority = arguments.takeValue("--cacert")
        do throws(RequestError) {
            try Account.validate(name: name)
            try S3Endpoint(base: endpoint, region: region ?? S3Endpoint.defaultRegion).validate()
        } catch {
            throw UsageError(String(error.sentence.dropLast()))
        }
    }

    func run(_ context: CommandContext) throws -> ExitStatus {
        let before = try context.connect().send(ListAccounts()).rows.first { $0.account.name == name }?.account
        let known = before?.s3
        // Another server's region does not apply to this one.
        let isSameServer = known != nil && (endpoint == nil || endpoint == known?.base)
        let authorities = try CertificateFile.find(certificateAuthority, context)
        let account = Account(
            name: name,
            service: .s3(
                S3Endpoint(
                    base: endpoint ?? known?.base,
                    region: region ?? (isSameServer ? known?.region : nil) ?? S3Endpoint.defaultRegion
                )
            ),
            addedAt: context.now(),
            proxy: SpecMaker.proxies(context.environment),
            certificateAuthorityPath: authorities ?? (isSameServer ? before?.certificateAuthorityPath : nil)
        )
        let request = AddKeyAccount(account: account, key: try key(context))
        do throws(RequestError) { try request.validate() } catch { throw CommandFailure(error.sentence, .usage) }
        // A new connection, as the user may have taken minutes, and the daemon may have been replaced meanwhile.
        let reply = try context.connect().send(request, within: Self.patience)
        try report(reply, context)
        return .success
    }

    /// In seconds. The daemon asks the server, up to a few times.
    private static let patience = 100.0

    /// Reads the ID, unless it was given, and the secret from the terminal or from standard input, one per line.
    private func key(_ context: CommandContext) throws -> AccessKey {
        let isPerson = context.keyboard() >= 0
        if isPerson, keyID == nil { context.output.complain("Access key ID:") }
        let id = try keyID ?? line(context)
        let secret: String
        if isPerson {
            guard let typed = PasswordPrompt.ask("Secret access key (not shown): ") else {
                throw CommandFailure("There is no terminal to prompt on: give the secret on standard input.")
            }
            secret = typed
        } else {
            secret = try line(context)
        }
        let key = AccessKey(id: Self.trimmed(id), secret: Self.trimmed(secret))
        guard !key.id.isEmpty, !key.secret.isEmpty else {
            throw CommandFailure(
                keyID == nil
                    ? "No key was entered: give its ID and its secret, one per line."
                    : "No secret was entered: give it on standard input, or on the terminal."
            )
        }
        return key
    }

    private func line(_ context: CommandContext) throws -> String { try context.readLine() ?? "" }

    private static func trimmed(_ text: String) -> String {
        String(text.unicodeScalars.filter { !$0.properties.isWhitespace })
    }

    private func report(_ reply: AddKeyAccount.Reply, _ context: CommandContext) throws {
        if let sentence = reply.notChecked { context.output.complain("offstage: \(sentence.redactedControls)") }
        if context.printsJSON {
            let document = Document(
                account: AccountDocument(reply.row),
                isNew: reply.isNew,
                isChecked: reply.notChecked == nil
            )
            return context.output.print(try JSONText.of(document))
        }
        let key = reply.row.account.accountID ?? ""
        let text =
            reply.isNew
            ? "Added the account \(name) with the key \(key) for \(reply.row.account.server)."
            : "The account \(name) now has the key \(key) for \(reply.row.account.server)."
        context.output.print(text.redactedControls)
    }

    struct Document: Encodable {
        let account: AccountDocument
        let isNew: Bool
        let isChecked: Bool
    }
}
