// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage account add dropbox` signs in to an account, and `offstage account add s3` takes a key, which lets the
/// daemon send files there.
package struct AccountAddCommand: Command {
    package static let path = ["account", "add"]
    package static let summary = "Sign in to an account at Dropbox, or give the daemon a key for S3."
    package static let synopsis = [
        "dropbox --app-key KEY [OPTION…]", "dropbox --name NAME", "s3 [--access-key ID] [--endpoint-url URL] [OPTION…]",
    ]
    package static let discussion = """
        For S3, asks for the key's ID and its secret, or reads both from standard input, one per line. The daemon asks the
        server whether it knows the key, and keeps it sealed.

        For Dropbox, prints the address of a page there and opens it in a browser if there is one. Allow the app and paste
        the code that the page shows; with --port the browser delivers it here. Only the daemon ever holds the tokens that
        it gets for the code. docs/accounts.md explains how to get an app key.
        """
    package static let options =
        [
            CommandOption("--name", value: "NAME", help: "what you call the account (dropbox, s3)"),
            CommandOption(
                "--app-key",
                value: "KEY",
                help: "your app's key at Dropbox (for an existing account: its own)"
            ),
            CommandOption(
                "--port",
                value: "PORT",
                help: "let the browser deliver the code to http://127.0.0.1:PORT/ (0: any port)"
            ),
            CommandOption("--no-browser", help: "print the address without opening a browser"),
            CommandOption("--yes", help: "keep the account without asking whether it is yours"),
            CommandOption("--api-url", value: "URL", help: "the server to use as Dropbox: an emulator or a proxy"),
            CommandOption("--cacert", value: "FILE", kind: .file, help: "certificate authorities in a PEM file"),
        ] + S3AccountAdder.options
    package static let operands = OperandKind.words(["dropbox", "s3"])
    package static let examples = [
        CommandExample("offstage account add dropbox --app-key abc123def456ghi", "the account 'dropbox'"),
        CommandExample("offstage account add dropbox --name work --app-key abc123def456ghi", "a second account"),
        CommandExample("offstage account add dropbox --name work", "sign in to it again"),
        CommandExample(
            "offstage account add s3 --name minio --endpoint-url https://minio.example:9000",
            "a key for an S3 server"
        ),
    ]

    let name: String
    let appKey: String?
    let endpoints: DropboxEndpoints?
    let port: UInt16?
    let opensBrowser: Bool
    let isSure: Bool
    let certificateAuthority: String?
    /// Nil for Dropbox.
    let s3: S3AccountAdder?

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let words = arguments.takeOperands()
        guard words == ["dropbox"] || words == ["s3"] else {
            throw UsageError(
                words.isEmpty
                    ? "name the service: dropbox or s3"
                    : "'\(words.joined(separator: " "))' is not a known service: use dropbox or s3"
            )
        }
        s3 = words == ["s3"] ? try S3AccountAdder(&arguments) : nil
        name = arguments.takeValue("--name") ?? "dropbox"
        appKey = arguments.takeValue("--app-key")
        port = try arguments.takeValue("--port", "a port from 0 to 65535") { UInt16($0) }
        opensBrowser = !arguments.takeFlag("--no-browser")
        isSure = arguments.takeFlag("--yes")
        certificateAuthority = arguments.takeValue("--cacert")
        let api = arguments.takeValue("--api-url")
        let ofS3 = ["--access-key", "--region", "--endpoint-url"].filter { arguments.takeValue($0) != nil }
        let ofDropbox = [
            (appKey != nil, "--app-key"), (port != nil, "--port"), (!opensBrowser, "--no-browser"), (isSure, "--yes"),
            (api != nil, "--api-url"),
        ].filter(\.0).map(\.1)
        if let option = (s3 == nil ? ofS3 : ofDropbox).first {
            throw UsageError("\(option) is for an account at \(s3 == nil ? "S3" : "Dropbox")")
        }
        do throws(RequestError) {
            try Account.validate(name: name)
            if let appKey { try Account.validate(appKey: appKey) }
            endpoints = try api.map { url throws(RequestError) in
                try DropboxEndpoints(below: url)
            }
        } catch {
            throw UsageError(String(error.sentence.dropLast()))
        }
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        if let s3 { return try s3.run(context) }
        let before = try context.connect().send(ListAccounts()).rows.first { $0.account.name == name }?.account
        guard let key = appKey ?? before?.dropbox?.appKey else {
            throw UsageError("give your Dropbox app's key with --app-key; docs/accounts.md explains how to get one")
        }
        // Another server's certificate is signed by other authorities.
        let isSameServer = endpoints == nil || endpoints == before?.dropbox?.endpoints
        let authorities = try CertificateFile.find(certificateAuthority, context)
        let account = Account(
            name: name,
            appKey: key,
            endpoints: endpoints ?? before?.dropbox?.endpoints ?? .dropbox,
            addedAt: context.now(),
            proxy: SpecMaker.proxies(context.environment),
            certificateAuthorityPath: authorities ?? (isSameServer ? before?.certificateAuthorityPath : nil)
        )
        let challenge = try CodeChallenge.make()
        let listener = try port.map { port throws(CommandFailure) in try RedirectListener(port: port) }
        let prompt = SignInPrompt(account: account, challenge: challenge.challenge, opensBrowser: opensBrowser)
        guard let code = try prompt.code(listener, context) else { return .detached }
        let request = AddAccount(
            account: account,
            code: code,
            verifier: challenge.verifier,
            redirectURI: listener?.uri,
            // The code may come from another person, and the files would go to that person's folder.
            asksFirst: !isSure && context.keyboard() >= 0
        )
        // A new connection, as the user may have taken minutes, and the daemon may have been replaced meanwhile.
        let connection = try context.connect()
        let reply = try connection.send(request, within: Self.patience)
        guard let number = reply.unconfirmed else {
            try report(reply, context)
            return .success
        }
        let isTheirs = try AccountQuestion.ask(about: reply.row, context)
        let confirmed = try connection.send(ConfirmAccount(number: number, keeps: isTheirs), within: Self.patience)
        guard let row = confirmed.row else {
            let rest = confirmed.notRevoked.map { [$0] } ?? []
            throw CommandFailure(["The account was not kept: nothing was changed."] + rest)
        }
        try report(AddAccount.Reply(row: row, isNew: confirmed.isNew), context)
        return .success
    }

    /// In seconds. The daemon asks the service up to three times, and each request may take half a minute.
    private static let patience = 100.0

    private func report(_ reply: AddAccount.Reply, _ context: CommandContext) throws {
        if context.printsJSON {
            let document = Document(account: AccountDocument(reply.row), isNew: reply.isNew)
            return context.output.print(try JSONText.of(document))
        }
        let who = reply.row.account.email.map { " as \($0.redactedControls)" } ?? ""
        context.output.print(
            reply.isNew
                ? "Signed in to Dropbox\(who); the account is called \(name)." : "Signed in to \(name) again\(who)."
        )
        if !reply.row.renewsItself {
            context.output.complain(
                "offstage: Dropbox gave no refresh token, so the sign-in ends in a few hours: allow the app offline access."
            )
        }
    }

    struct Document: Encodable {
        let account: AccountDocument
        let isNew: Bool
    }
}
