// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The options that `upload` and `download` share, with curl's names if curl has them.
package struct TransferOptions {
    package static let options: [CommandOption] =
        [
            CommandOption(
                "--request",
                "-X",
                value: "METHOD",
                help: "HTTP method (PUT, POST with -F, GET for download)"
            ),
            CommandOption(
                "--header",
                "-H",
                value: "LINE",
                help: "header 'Name: value', or @FILE with one per line; repeatable"
            ),
            CommandOption("--user", "-u", value: "USER:PASSWORD", help: "HTTP user; asks for a missing password"),
            CommandOption("--digest", help: "send the password of --user only as a digest"),
            CommandOption("--limit-rate", value: "SPEED", help: "bytes per second: 500k, 2M (1k is 1024)"),
            CommandOption(
                "--max-time",
                "-m",
                value: "TIME",
                help: "give up after this long, all attempts together (7d)"
            ),
            CommandOption("--connect-timeout", value: "TIME", help: "longest time to connect"),
            CommandOption("--speed-time", "-y", value: "TIME", help: "time without a byte before a new attempt (60)"),
            CommandOption("--retry", value: "COUNT", help: "at most COUNT retries (as many as --max-time allows)"),
            CommandOption("--retry-delay", value: "TIME", help: "always wait this long between attempts"),
            CommandOption("--proxy", "-x", value: "URL", help: "proxy for all requests, instead of the environment's"),
            CommandOption(
                "--noproxy",
                value: "HOSTS",
                help: "hosts to reach without a proxy, separated by commas"
            ),
            CommandOption("--proxy-user", "-U", value: "USER:PASS", help: "name and password for the proxy"),
            CommandOption("--oauth2-bearer", value: "TOKEN", help: "the header Authorization with this token"),
            CommandOption("--user-agent", "-A", value: "NAME", help: "the header User-Agent; '' for none"),
            CommandOption("--referer", "-e", value: "URL", help: "the header Referer"),
            CommandOption("--cookie", "-b", value: "NAME=VALUE", help: "the header Cookie"),
            CommandOption("--netrc", "-n", help: "names and passwords from ~/.netrc, for the hosts listed there"),
            CommandOption("--netrc-file", value: "FILE", kind: .file, help: "the same from another file"),
            CommandOption("--cert", "-E", value: "FILE", kind: .file, help: "the client's certificate, a PEM file"),
            CommandOption("--key", value: "FILE", kind: .file, help: "the key of that certificate, a PEM file"),
            CommandOption("--insecure", "-k", help: "accept any certificate"),
            CommandOption(
                "--resolve",
                value: "HOST:PORT:ADDRESS",
                help: "connect to this address; repeatable"
            ),
            CommandOption("--connect-to", value: "H:P:H2:P2", help: "connect to another host and port; repeatable"),
            CommandOption("--ipv4", "-4", help: "connect to IPv4 addresses only"),
            CommandOption("--ipv6", "-6", help: "connect to IPv6 addresses only"),
            CommandOption("--tlsv1.3", help: "require TLS 1.3"),
            CommandOption("--max-redirs", value: "COUNT", help: "follow at most COUNT redirects (20), up to 50"),
            CommandOption("--cacert", value: "FILE", kind: .file, help: "certificate authorities in a PEM file"),
            priority,
            CommandOption("--sha256", help: "record the file's SHA-256 for 'show --receipt' and 'verify'"),
            CommandOption("--label", value: "TEXT", help: "a name of your own, shown in lists"),
            begin,
            CommandOption("--unmetered", help: "only over an unmetered network"),
            CommandOption("--discretionary", help: "only on external power and over an unmetered network"),
            CommandOption(
                "--after",
                value: "ID",
                kind: .transfers,
                help: "not before transfer ID has completed; 7-9 for several, repeatable"
            ),
            CommandOption(
                "--on-done",
                value: "COMMAND",
                help: "/bin/sh runs this at the end, with OFFSTAGE_RESULT and others (docs/settings.md)"
            ),
            notify, noNotify,
            CommandOption(
                "--wait-for-credentials",
                help: "on a 401, wait for 'offstage header set'; if its account is missing, for that"
            ),
            CommandOption("--any-status", help: "treat every answer as final, even 408, 429 and 5xx"),
            CommandOption(
                "--dry-run",
                help: "check what can be checked locally, show what would be handed over, and stop"
            ),
            CommandOption("--detach", help: "print the transfer's number and return at once"),
            CommandOption("--quiet", "-q", "--silent", "-s", help: "print nothing but errors"),
        ] + CurlOptions.withoutEffect + CurlOptions.refused

    /// These can be changed later as well (`change`).
    static let priority = CommandOption(
        "--priority",
        value: "0-1",
        kind: .words(["low", "normal", "high"]),
        help: "low, normal, high, or 0 to 1"
    )
    static let begin = CommandOption(
        "--begin",
        value: "DATE",
        help: "not before 23:00, 11pm, tomorrow, +2h, or 2026-05-01T08:00 (local), or …Z"
    )

    static let notify = CommandOption(
        "--notify",
        help: "show a notification on the desktop when it has ended, or needs you"
    )
    static let noNotify = CommandOption("--no-notify", help: "show no notification, whatever the settings say")

    /// Whether the user is notified of a transfer; nil to follow the settings.
    static func takeNotify(_ arguments: inout ArgumentCursor) throws(UsageError) -> Bool? {
        let (wanted, unwanted) = (arguments.takeFlag("--notify"), arguments.takeFlag("--no-notify"))
        if wanted, unwanted { throw UsageError("give --notify or --no-notify, not both") }
        return wanted ? true : unwanted ? false : nil
    }

    package let curl: CurlOptions

    package var method: String?
    package var headerTexts: [String]
    package var user: String?
    package var rateLimit: Int64?
    /// The limit as written, if a unit was probably forgotten.
    package var slipOfRate: String?
    package var overallTimeout: Double?
    package var connectTimeout: Double?
    package var idleTimeout: Double?
    package var maximumRetries: Int?
    package var certificateAuthority: String?
    package var priority: Double?
    package var label: String?
    package var begin: String?
    package var predecessors: [TransferID]
    package var needs: TransferNeeds
    package var onDone: String?
    package var notify: Bool?
    package var waitsForCredentials: Bool
    package var takesAnyStatus: Bool
    package var isDryRun: Bool
    /// Whether the SHA-256 of each file is kept with its transfer.
    package var recordsDigest: Bool
    package var detaches: Bool
    package var isQuiet: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        curl = try CurlOptions(&arguments)
        method = arguments.takeValue("--request")
        headerTexts = arguments.takeValues("--header")
        user = arguments.takeValue("--user")
        var rateText = ""
        let rate = try arguments.takeValue("--limit-rate", "a speed such as 500k or 2M") { text in
            rateText = text
            return Quantity.bytes(text)
        }
        slipOfRate = rate.map { Quantity.isSlip(rateText, $0) } == true ? rateText : nil
        // As in curl, 0 means no limit.
        rateLimit = rate == 0 ? nil : rate
        overallTimeout = try Self.time("--max-time", &arguments)
        connectTimeout = try Self.time("--connect-timeout", &arguments)
        idleTimeout = try Self.time("--speed-time", &arguments)
        maximumRetries = try arguments.takeValue("--retry", "a whole number", Quantity.count)
        certificateAuthority = arguments.takeValue("--cacert")
        priority = try arguments.takeValue("--priority", "low, normal, high or a number from 0 to 1", Quantity.priority)
        label = arguments.takeValue("--label")
        begin = arguments.takeValue("--begin")
        predecessors = try IDArguments.parse(arguments.takeValues("--after"))
        needs = arguments.takeFlag("--unmetered") ? .noExpensive : []
        if arguments.takeFlag("--discretionary") { needs.insert(.goodMoment) }
        onDone = arguments.takeValue("--on-done")
        notify = try Self.takeNotify(&arguments)
        waitsForCredentials = arguments.takeFlag("--wait-for-credentials")
        takesAnyStatus = arguments.takeFlag("--any-status")
        recordsDigest = arguments.takeFlag("--sha256")
        isDryRun = arguments.takeFlag("--dry-run")
        detaches = arguments.takeFlag("--detach")
        isQuiet = arguments.takeFlag("--quiet")
    }

    private static func time(_ name: String, _ arguments: inout ArgumentCursor) throws(UsageError) -> Double? {
        try arguments.takeValue(name, "a time such as 90, 10m or 2h") { text in
            Quantity.seconds(text).flatMap { $0 > 0 ? $0 : nil }
        }
    }
}
