// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Options of curl's that change a request's headers and connections, and those that people paste although they change
/// nothing here, or cannot be honoured by a transfer that goes on when nobody is there.
package struct CurlOptions {
    /// What curl has to be told and what is so here anyway.
    static let withoutEffect: [CommandOption] =
        [
            CommandOption("--location", "-L", help: "as always: redirects are followed"),
            CommandOption("--fail", "-f", help: "as always: a status from 400 is a failure"),
            CommandOption("--show-error", "-S", help: "as always: errors are shown"),
            CommandOption("--retry-connrefused", help: "as always: a refused connection is tried again"),
            CommandOption("--continue-at", "-C", value: "-", help: "as always: a download continues where it stopped"),
        ] + silent.map { CommandOption(hiddenNames: [$0]) }

    /// Taken, and left out of the help.
    private static let silent = [
        "--fail-with-body", "--globoff", "--progress-bar", "--no-progress-meter", "--no-buffer",
        "--http2", "--tcp-nodelay", "--keepalive",
    ]

    /// Each with why a background transfer cannot do it, and what to do.
    private static let reasons: [(names: [String], value: String?, reason: String)] = [
        (
            ["--cookie-jar", "-c"], "FILE",
            "a background transfer has no cookie jar: give the cookies that it needs with --cookie"
        ),
        (
            ["--verbose", "-v"], nil,
            "nobody watches the output; 'offstage show ID' has headers, attempts and the answer"
        ),
        (["--trace"], "FILE", "nobody watches the output; 'offstage show ID' has headers, attempts and the answer"),
        (
            ["--include", "-i"], nil,
            "headers do not go into the file, 'offstage show ID' has them; a list of URLs is read by 'offstage download - < FILE'"
        ),
        (["--head", "-I"], nil, "a file is fetched, not its headers alone: use curl -I"),
        (["--dump-header", "-D"], "FILE", "'offstage show ID --json' has the answer's headers"),
        (["--write-out", "-w"], "FORMAT", "'offstage show ID --json' has what became of a transfer"),
        (["--range", "-r"], "RANGE", "files are fetched whole: use curl -r, or a header -H 'Range: bytes=…'"),
        (["--parallel", "-Z"], nil, "several files go at once anyway: the settings say how many"),
        (["--directory-prefix", "-P"], "DIR", "write --output-dir DIR"),
        (["--config", "-K"], "FILE", "write the options on the command line"),
        (["--socks5", "--socks5-hostname", "--socks4", "--socks4a"], "HOST", "write it as --proxy socks5h://HOST"),
        (
            ["--ntlm", "--negotiate", "--anyauth"], nil,
            "--user answers with Basic, and with Digest where the server asks for it or --digest is given"
        ),
        (["--retry-all-errors"], nil, "a status from 400 other than 408 and 429 says that trying again does not help"),
        (["--http1.1", "--http1.0", "--http3"], nil, "HTTP/2 is used where the server has it, and HTTP/1.1 elsewhere"),
        (["--interface", "--local-port", "--dns-servers"], "VALUE", "the system's routes and name servers count"),
        (["--ipv4", "-4", "--ipv6", "-6"], nil, "whichever of the host's addresses answers first is used"),
        (["--max-filesize"], "BYTES", "what is fetched is fetched whole: look at the size first"),
        (["--time-cond", "-z"], "DATE", "use a header: -H 'If-Modified-Since: …'"),
    ]

    static let refused: [CommandOption] = reasons.map { CommandOption(hiddenNames: $0.names, value: $0.value) }

    /// Before those of `--header`, which count where both name one.
    package let headers: [HeaderField]
    package let connectTo: [String]
    package let proxy: String?
    package let exempt: String?
    package let netrc: String?
    package let usesNetrc: Bool
    package let certificate: String?
    package let key: String?
    package let acceptsAnyCertificate: Bool
    package let asksForDigest: Bool
    /// Whether an empty `--user-agent` takes the field out of the requests, as in curl.
    package let hasNoUserAgent: Bool

    init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        for entry in Self.reasons where arguments.takesAny(of: entry.names[0]) {
            throw UsageError("\(entry.names.joined(separator: ", ")) cannot be honoured here: \(entry.reason)")
        }
        for option in Self.withoutEffect where option.value == nil { _ = arguments.takeFlag(option.names[0]) }
        if let place = arguments.takeValue("--continue-at"), place != "-" {
            throw UsageError("a download continues where it stopped, not at \(place): leave out --continue-at")
        }
        var headers: [HeaderField] = []
        let agent = arguments.takeValue("--user-agent")
        hasNoUserAgent = agent?.isEmpty == true
        for (name, value) in [("User-Agent", agent), ("Referer", arguments.takeValue("--referer"))] {
            if let value, !value.isEmpty { headers.append(HeaderField(name: name, value: value)) }
        }
        let cookies = arguments.takeValues("--cookie")
        if let file = cookies.first(where: { !$0.contains("=") }) {
            throw UsageError("--cookie takes NAME=VALUE here: the cookies of the file '\(file)' are not read")
        }
        if !cookies.isEmpty { headers.append(HeaderField(name: "Cookie", value: cookies.joined(separator: "; "))) }
        self.headers = headers
        proxy = arguments.takeValue("--proxy")
        if let proxy, !proxy.isEmpty, proxy.allSatisfy(\.isNumber) || ProxyAddress(proxy) == nil {
            let schemes = ProxyAddress.schemes.joined(separator: ", ")
            throw UsageError("--proxy and -x take SCHEME://HOST:PORT, with one of the schemes \(schemes)")
        }
        exempt = arguments.takeValue("--noproxy")
        usesNetrc = arguments.takeFlag("--netrc")
        netrc = arguments.takeValue("--netrc-file")
        certificate = arguments.takeValue("--cert")
        key = arguments.takeValue("--key")
        acceptsAnyCertificate = arguments.takeFlag("--insecure")
        asksForDigest = arguments.takeFlag("--digest")
        var places: [String] = []
        for text in arguments.takeValues("--resolve") { places.append(try Self.place(ofResolve: HostName.place(text))) }
        for text in arguments.takeValues("--connect-to") { places.append(try HostName.place(text)) }
        connectTo = places
    }

    /// Those that say what a plain request is like, as far as they were given.
    var given: [String] {
        var given: [String] = []
        if !headers.isEmpty || hasNoUserAgent { given.append("--user-agent, --referer or --cookie") }
        if usesNetrc || netrc != nil { given.append("--netrc") }
        if certificate != nil { given.append("--cert") }
        if acceptsAnyCertificate { given.append("--insecure") }
        if !connectTo.isEmpty { given.append("--resolve or --connect-to") }
        return given
    }

    /// `HOST:PORT:ADDRESS` as `--connect-to` has it: what `--resolve` sets in libcurl counts for everybody's transfers.
    private static func place(ofResolve text: String) throws(UsageError) -> String {
        // A + makes an address of libcurl's cache pass; here none outlives the transfer.
        let plain = text.hasPrefix("+") ? text.dropFirst() : text[...]
        let parts = plain.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0] != "*", !parts[0].hasPrefix("-"),
            let port = UInt16(parts[1]), port > 0,
            let first = parts.last, !first.isEmpty, !first.contains(",")
        else { throw UsageError("'\(text)' is not HOST:PORT:ADDRESS with one address, which --resolve takes") }
        let address = first.contains(":") && !first.hasPrefix("[") ? "[\(first)]" : String(first)
        return "\(parts[0]):\(port):\(address):\(port)"
    }

    /// What the transfer's connections have besides the usual; nil for nothing.
    func connection(_ context: CommandContext, compresses: Bool) throws -> ConnectionOptions? {
        var connection = ConnectionOptions()
        if acceptsAnyCertificate { connection.acceptsAnyCertificate = true }
        if let certificate {
            connection.certificatePath = try CertificateFile.named(certificate, "--cert", context)
            connection.keyPath = try key.map { try CertificateFile.named($0, "--key", context) }
        } else if key != nil {
            throw UsageError("--key goes with --cert")
        }
        if !connectTo.isEmpty { connection.connectTo = connectTo }
        if let netrc {
            connection.netrcPath = try CertificateFile.named(netrc, "--netrc-file", context)
        } else if usesNetrc {
            guard let home = context.environment["HOME"], home.hasPrefix("/") else {
                throw UsageError("--netrc looks in HOME, which is not set: use --netrc-file FILE")
            }
            connection.netrcPath = try CertificateFile.named(home + "/.netrc", "--netrc-file", context)
        }
        if compresses { connection.asksForCompression = true }
        if hasNoUserAgent { connection.hasNoUserAgent = true }
        return connection.isUsual ? nil : connection
    }

    /// The proxies of the command line, or else those of the environment.
    func proxies(_ environment: TransferSpec.ProxyEnvironment) -> TransferSpec.ProxyEnvironment {
        var proxies = environment
        // As for curl, an empty one is none.
        if let proxy { proxies = .init(all: proxy.isEmpty ? nil : proxy, none: environment.none) }
        if let exempt { proxies.none = exempt }
        return proxies
    }
}
