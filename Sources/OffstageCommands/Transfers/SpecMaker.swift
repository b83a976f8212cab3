// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
package import OffstageCore

/// Turns the options into the parts that all transfers of one command line share.
package struct SpecMaker {
    private let options: TransferOptions
    /// The header fields of all options.
    let headers: [HeaderField]
    private let credentials: TransferSpec.UserPassword?
    private let certificateAuthority: String?
    private let begin: Date?
    private let proxy: ProxyEnvironment
    private let connection: ConnectionOptions?
    private let workingDirectory: String

    /// Reads the files named by the options, and asks for a missing password.
    ///
    /// - Throws: `CommandFailure` or `UsageError`.
    package init(_ options: TransferOptions, compresses: Bool = false, _ context: CommandContext) throws {
        self.options = options
        workingDirectory =
            options.onDone == nil
            ? context.workingDirectory : try context.directory(since: "--on-done runs its command there")
        let named = try HeaderArguments.read(options.headerTexts, context)
        headers = options.curl.headers.filter { named[$0.name] == nil } + named
        connection = try options.curl.connection(context, compresses: compresses)
        certificateAuthority = try CertificateFile.find(options.certificateAuthority, context)
        let now = context.now()
        begin = try options.begin.map { try PointInTime.option($0, now: now) }
        if let begin, begin < now, !options.isQuiet {
            let date = Format.time(begin, now: now)
            context.output.complain("offstage: --begin \(date) is in the past: the transfer does not wait.")
        }
        if let slip = options.slipOfRate, !options.isQuiet {
            context.output.complain(
                "offstage: --limit-rate \(slip) is \(slip) bytes per second: write \(slip)k or \(slip)M for more."
            )
        }
        proxy = options.curl.proxies(Self.proxies(context.environment))
        credentials = try options.user.map { try Self.credentials($0) }
    }

    /// A transfer with everything from the options.
    package func make(_ direction: TransferSpec.Direction, url: String) throws -> TransferSpec {
        try make(direction, url: HostName.url(url))
    }

    /// The same, for a URL that was already checked.
    package func make(_ direction: TransferSpec.Direction, url: RequestURL) throws -> TransferSpec {
        do throws(RequestError) {
            var spec = TransferSpec(direction: direction, url: url, method: options.method, owner: "command")
            spec.headers = headers
            spec.setContentTypeOfForm()
            spec.credentials = credentials
            if options.curl.asksForDigest { spec.credentials?.isForDigest = true }
            spec.label = options.label
            spec.priority = options.priority ?? spec.priority
            spec.earliestBegin = begin
            spec.predecessors = options.predecessors
            spec.needs = options.needs
            spec.statusPolicy = options.takesAnyStatus ? .everyResponseIsFinal : .retryTransientAndFailOnError
            spec.unauthorizedPolicy = options.waitsForCredentials ? .waitForCredentials : .finish
            spec.maximumRetries = options.maximumRetries
            spec.idleTimeout = options.idleTimeout ?? spec.idleTimeout
            spec.connectTimeout = options.connectTimeout
            spec.overallTimeout = options.overallTimeout ?? spec.overallTimeout
            spec.rateLimit = options.rateLimit
            spec.certificateAuthorityPath = certificateAuthority
            spec.proxy = proxy
            spec.connection = connection
            if options.recordsDigest { spec.digest = .wanted }
            spec.notify = options.notify
            spec.completionCommand = options.onDone.map {
                TransferSpec.CompletionCommand(command: $0, workingDirectory: workingDirectory)
            }
            try spec.validate()
            return spec
        } catch {
            throw CommandFailure(error.sentence, .usage)
        }
    }

    /// An upload to a place in an account.
    package func make(_ source: TransferSpec.UploadSource, _ parameters: DropboxParameters) throws -> TransferSpec {
        let dialect: DialectSpec
        let url: String
        do throws(RequestError) {
            dialect = try parameters.dialectSpec()
            url = try parameters.url().unredacted
        } catch {
            throw CommandFailure(error.sentence, .usage)
        }
        var spec = try make(.upload(source), url: url)
        spec.method = "POST"
        spec.dialect = dialect
        return spec
    }

    /// The proxies that curl would use: `http_proxy` only in lower case, since a server's environment may hold a
    /// request's `Proxy:` header under the other name.
    static func proxies(_ environment: [String: String]) -> ProxyEnvironment {
        func either(_ name: String) -> String? {
            [environment[name], environment[name.uppercased()]].compactMap { $0 }.first { !$0.isEmpty }
        }
        return ProxyEnvironment(
            http: environment["http_proxy"].flatMap { $0.isEmpty ? nil : $0 },
            https: either("https_proxy"),
            all: either("all_proxy"),
            none: either("no_proxy")
        )
    }

    private static func credentials(_ text: String) throws -> TransferSpec.UserPassword {
        if let colon = text.firstIndex(of: ":") {
            return .init(user: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
        }
        guard let password = PasswordPrompt.ask("Password for \(text.redactedControls): ") else {
            throw UsageError("--user \(text) has no password, and no terminal to prompt on; write USER:PASSWORD")
        }
        return .init(user: text, password: password)
    }
}
