// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// curl's options that change a request's headers and connections, and the ones that people paste although they have no
/// effect here, or cannot be honoured by a background transfer.
package struct CurlOptions {
    /// Options that curl needs and that are always on here.
    static let withoutEffect: [CommandOption] =
        [
            CommandOption("--location", "-L", help: "always on: redirects are followed"),
            CommandOption("--fail", "-f", help: "always on: a status of 400 or above is a failure"),
            CommandOption("--show-error", "-S", help: "always on: errors are shown"),
            CommandOption("--retry-connrefused", help: "always on: a refused connection is retried"),
            CommandOption("--continue-at", "-C", value: "-", help: "always on: a download continues where it stopped"),
        ] + silent.map { CommandOption(hiddenNames: $0) }

    /// The headers of these options. They come before the ones of `--header`, which win if both name the same field.
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
    /// Whether an empty `--user-agent` removes the field from the requests, as in curl.
    package let hasNoUserAgent: Bool
    /// The options of connections and attempts that need no file.
    private let plain: ConnectionOptions

    init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        try Self.refuse(&arguments)
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
        if let token = arguments.takeValue("--oauth2-bearer") {
            headers.append(HeaderField(name: "Authorization", value: "Bearer \(token)"))
        }
        self.headers = headers
        proxy = try Self.proxy(&arguments)
        exempt = arguments.takeValue("--noproxy")
        usesNetrc = arguments.takeFlag("--netrc")
        netrc = arguments.takeValue("--netrc-file")
        certificate = arguments.takeValue("--cert")
        key = arguments.takeValue("--key")
        acceptsAnyCertificate = arguments.takeFlag("--insecure")
        asksForDigest = arguments.takeFlag("--digest")
        plain = try Self.plain(&arguments)
        var places: [String] = []
        for text in arguments.takeValues("--resolve") { places.append(try Self.place(ofResolve: HostName.place(text))) }
        for text in arguments.takeValues("--connect-to") { places.append(try HostName.place(text)) }
        connectTo = places
    }

    private static func plain(_ arguments: inout ArgumentCursor) throws(UsageError) -> ConnectionOptions {
        var plain = ConnectionOptions()
        let (four, six) = (arguments.takeFlag("--ipv4"), arguments.takeFlag("--ipv6"))
        guard !four || !six else { throw UsageError("give --ipv4 or --ipv6, not both") }
        if four || six { plain.ipVersion = four ? 4 : 6 }
        if arguments.takeFlag("--tlsv1.3") { plain.needsTLS13 = true }
        let most = ConnectionOptions.mostRedirectsAllowed
        plain.mostRedirects = try arguments.takeValue("--max-redirs", "a whole number up to \(most)") { text in
            Quantity.count(text).flatMap { $0 <= most ? $0 : nil }
        }
        let delay = try arguments.takeValue("--retry-delay", "a time such as 5 or 10m", Quantity.seconds)
        // As in curl, 0 is the default.
        plain.retryDelay = delay == 0 ? nil : delay
        return plain
    }

    /// The proxy, with the name and password given for it.
    private static func proxy(_ arguments: inout ArgumentCursor) throws(UsageError) -> String? {
        let proxy = arguments.takeValue("--proxy")
        let user = arguments.takeValue("--proxy-user")
        if let proxy, !proxy.isEmpty, proxy.allSatisfy(\.isNumber) || ProxyAddress(proxy) == nil {
            let schemes = ProxyAddress.schemes.joined(separator: ", ")
            throw UsageError("--proxy and -x take SCHEME://HOST:PORT, with one of the schemes \(schemes)")
        }
        guard let user else { return proxy }
        guard let proxy, !proxy.isEmpty else { throw UsageError("--proxy-user needs --proxy") }
        let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { throw UsageError("--proxy-user takes USER:PASSWORD") }
        let scheme = proxy.firstRange(of: "://").map { proxy[..<$0.upperBound] } ?? "http://"
        let rest = proxy.firstRange(of: "://").map { proxy[$0.upperBound...] } ?? proxy[...]
        let place = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
        return scheme + parts.map(PercentEncoding.encoded).joined(separator: ":") + "@" + place
    }

    /// The given options that describe a plain request.
    var given: [String] {
        var given: [String] = []
        if !headers.isEmpty || hasNoUserAgent {
            given.append("--user-agent, --referer, --cookie or --oauth2-bearer")
        }
        if usesNetrc || netrc != nil { given.append("--netrc") }
        if certificate != nil { given.append("--cert") }
        if acceptsAnyCertificate { given.append("--insecure") }
        if !connectTo.isEmpty { given.append("--resolve or --connect-to") }
        if plain.ipVersion != nil { given.append("--ipv4 or --ipv6") }
        if plain.needsTLS13 != nil { given.append("--tlsv1.3") }
        if plain.mostRedirects != nil { given.append("--max-redirs") }
        return given
    }

    /// `HOST:PORT:ADDRESS` in the form of `--connect-to`, since `--resolve` in libcurl affects every transfer.
    private static func place(ofResolve text: String) throws(UsageError) -> String {
        // A + makes an address in libcurl's cache expire, but here none outlives the transfer. * means any host, which
        // is empty in --connect-to.
        let plain = text.hasPrefix("+") ? text.dropFirst() : text[...]
        let parts = plain.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[0].hasPrefix("-"),
            let port = UInt16(parts[1]), port > 0,
            let first = parts.last, !first.isEmpty, !first.contains(",")
        else { throw UsageError("'\(text)' is not HOST:PORT:ADDRESS with one address, as --resolve requires") }
        let address = first.contains(":") && !first.hasPrefix("[") ? "[\(first)]" : String(first)
        return "\(parts[0] == "*" ? "" : parts[0]):\(port):\(address):\(port)"
    }

    /// The special options of the transfer's connections; nil if there are none.
    func connection(_ context: CommandContext, compresses: Bool) throws -> ConnectionOptions? {
        var connection = plain
        if acceptsAnyCertificate { connection.acceptsAnyCertificate = true }
        if let certificate {
            connection.certificatePath = try CertificateFile.named(certificate, "--cert", context)
            connection.keyPath = try key.map { try CertificateFile.named($0, "--key", context) }
        } else if key != nil {
            throw UsageError("--key needs --cert")
        }
        if !connectTo.isEmpty { connection.connectTo = connectTo }
        if let netrc {
            connection.netrcPath = try CertificateFile.named(netrc, "--netrc-file", context)
        } else if usesNetrc {
            guard let home = context.environment["HOME"], home.hasPrefix("/") else {
                throw UsageError("--netrc needs HOME, which is not set: use --netrc-file FILE")
            }
            connection.netrcPath = try CertificateFile.named(home + "/.netrc", "--netrc-file", context)
        }
        if compresses { connection.asksForCompression = true }
        if hasNoUserAgent { connection.hasNoUserAgent = true }
        return connection.isUsual ? nil : connection
    }

    /// The proxies of the command line, otherwise of the environment.
    package func proxies(_ environment: ProxyEnvironment) -> ProxyEnvironment {
        var proxies = environment
        // As in curl, an empty value means no proxy.
        if let proxy { proxies = .init(all: proxy.isEmpty ? nil : proxy, none: environment.none) }
        if let exempt { proxies.none = exempt }
        return proxies
    }
}
