// SPDX-License-Identifier: Apache-2.0

/// Options of curl, wget and aria2 that help does not show: options that are always on here, that have another name,
/// or that a background transfer cannot honour.
extension CurlOptions {
    typealias Refusal = (names: [String], value: String?, reason: String)

    /// Options that are accepted but left out of the help, each with all its names.
    static let silent: [[String]] = [
        ["--fail-with-body"], ["--progress-bar", "-#"], ["--no-progress-meter"], ["--no-buffer", "-N"], ["--http2"],
        ["--tcp-nodelay"], ["--keepalive"], ["--basic"], ["--ssl-reqd"], ["--tlsv1.2", "--tlsv1"],
        ["--remove-on-error"], ["--continue"], ["--remote-name-all"],
    ]

    /// Options of wget and aria2, and their equivalents here.
    private static let renamed: [(names: [String], value: String?, ours: String)] = [
        (["--directory-prefix", "-P", "--dir"], "DIR", "--output-dir DIR"),
        (["--out", "--output-document"], "FILE", "--output FILE"),
        (["--no-check-certificate"], nil, "--insecure"), (["--ca-certificate"], "FILE", "--cacert FILE"),
        (["--content-disposition"], nil, "--remote-header-name"), (["--tries", "-t", "--max-tries"], "N", "--retry N"),
        (["--timeout"], "SECONDS", "--speed-time SECONDS, or --max-time TIME for all of it"),
        (["--input-file"], "FILE", "'offstage download - < FILE'"),
        (["--max-download-limit"], "SPEED", "--limit-rate SPEED"),
        (["--load-cookies"], "FILE", "--cookie NAME=VALUE"), (["--allow-overwrite"], "BOOLEAN", "--force"),
        (["--http-user", "--http-password", "--http-passwd"], "TEXT", "--user USER:PASSWORD"),
        (["--all-proxy", "--http-proxy", "--https-proxy"], "URL", "--proxy URL"), (["--background"], nil, "--detach"),
        (["--post-data", "--post-file", "--body-data"], "TEXT", "'offstage upload --data TEXT'"),
        (["--retry-max-time"], "SECONDS", "--max-time TIME"), (["--max-redirect"], "N", "--max-redirs N"),
        (["--capath"], "DIR", "--cacert FILE"),
        (["--socks5", "--socks5-hostname", "--socks4", "--socks4a"], "HOST", "--proxy socks5h://HOST"),
    ]

    private static let watching = "nobody watches the output; 'offstage show ID' has headers, attempts and the answer"
    private static let connections = "write --connections N; a file is divided into as many pieces as is worthwhile"

    /// Refused options, each with why a background transfer cannot honour it, and what to do instead.
    private static let reasons: [Refusal] = [
        (
            ["--cookie-jar", "-c"], "FILE",
            "a background transfer has no cookie jar: give the cookies that it needs with --cookie; continuing, which is wget's -c, is always on"
        ),
        (["--verbose", "-v"], nil, watching), (["--trace"], "FILE", watching), (["--trace-ascii"], "FILE", watching),
        (
            ["--include", "-i"], nil,
            "headers do not go into the file, 'offstage show ID' has them; 'offstage download - < FILE' reads a list of URLs"
        ),
        (["--head", "-I"], nil, "a file is fetched, not its headers alone: use curl -I"),
        (["--dump-header", "-D"], "FILE", "'offstage show ID --json' has the answer's headers"),
        (["--write-out", "-w"], "FORMAT", "'offstage show ID --json' has the outcome of a transfer"),
        (["--parallel", "-Z"], nil, "several files are transferred at once anyway: the settings say how many"),
        (["--split", "--max-connection-per-server", "--min-split-size"], "N", connections),
        (["--config", "-K"], "FILE", "write the options on the command line"),
        (
            ["--ntlm", "--negotiate", "--anyauth"], nil,
            "--user answers with Basic, and with Digest where the server asks for it or --digest is given"
        ),
        (
            ["--proxy-ntlm", "--proxy-negotiate", "--proxy-digest", "--proxy-anyauth"], nil,
            "a proxy is answered with Basic"
        ),
        (["--proxytunnel", "-p"], nil, "https goes through a proxy's tunnel anyway, and http does not"),
        (["--retry-all-errors"], nil, "a status of 400 or above except 408 and 429 means that a retry does not help"),
        (
            ["--location-trusted"], nil,
            "credentials are not sent to another host that a server redirects to: hand over the final URL"
        ),
        (
            ["--post301", "--post302", "--post303"], nil,
            "a redirect is followed as browsers do: hand over the final URL"
        ),
        (
            ["--http1.1", "--http1.0", "--http3"], nil,
            "HTTP/2 is used if the server supports it, otherwise HTTP/1.1: leave it out"
        ),
        (
            ["--interface", "--local-port", "--dns-servers", "--doh-url"], "VALUE",
            "the system's routes and name servers are used; --resolve gives a host an address of your own"
        ),
        (["--unix-socket", "--abstract-unix-socket"], "PATH", "requests go over TCP: make the server listen on it"),
        (
            ["--tlsv1.0", "--tlsv1.1", "--sslv2", "--sslv3"], nil,
            "the newest TLS that the server supports is used, from 1.2 on"
        ),
        (
            ["--ciphers", "--tls13-ciphers", "--curves", "--tls-max"], "LIST",
            "the system's TLS settings apply: leave it out"
        ),
        (["--pinnedpubkey"], "HASHES", "a key cannot be pinned: --cacert says whose certificates are accepted"),
        (["--crlfile"], "FILE", "certificate revocation lists are not read"),
        (
            ["--keepalive-time"], "SECONDS",
            "idle connections are handled automatically, see --speed-time: leave it out"
        ),
        (
            ["--speed-limit", "-Y"], "SPEED",
            "an attempt ends after --speed-time without a byte, and never for being slow"
        ),
        (["--max-filesize"], "BYTES", "files are fetched whole: check the size first"),
        (["--time-cond", "-z"], "DATE", "use a header: -H 'If-Modified-Since: …'"),
        (["--append", "-a"], nil, "it is for FTP, and only http and https are supported"),
        (["--recursive"], nil, "pages are not searched for links: name the URLs, or give a list"),
    ]

    static let refused: [CommandOption] =
        renamed.map { CommandOption(hiddenNames: $0.names, value: $0.value) }
        + reasons.map { CommandOption(hiddenNames: $0.names, value: $0.value) }

    /// - Throws: `UsageError` for the first such option: why it is not supported, or its name here.
    static func refuse(_ arguments: inout ArgumentCursor) throws(UsageError) {
        for entry in renamed where arguments.takesAny(of: entry.names[0]) {
            throw UsageError("\(entry.names.joined(separator: ", ")) is not supported: write \(entry.ours)")
        }
        try refuse(reasons, &arguments)
    }

    /// - Throws: `UsageError` for the first of these options that was given.
    static func refuse(_ reasons: [Refusal], _ arguments: inout ArgumentCursor) throws(UsageError) {
        for entry in reasons where arguments.takesAny(of: entry.names[0]) {
            throw UsageError("\(entry.names.joined(separator: ", ")) cannot be honoured here: \(entry.reason)")
        }
    }
}
