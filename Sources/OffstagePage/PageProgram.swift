// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import FoundationEssentials
import Glibc
import OffstageClient
import OffstageCommands
import OffstageCore

/// The program `offstage-page`: options, the line with the link, and the exit when the page is unused.
package enum PageProgram {
    package static let help = """
        Usage: offstage-page [OPTION]...

        Serves a page that shows what the daemon does, on this machine and to this user alone, each time at another address
        of 127.0.0.0/8. Prints one line with the page's link, which can be opened once, and ends when nobody has viewed it
        for ten minutes, or on SIGTERM or SIGINT. 'offstage page' starts it in the background.

          --port PORT           listen on this port; otherwise on any free port. With --metrics-token, the metrics are
                                at 127.0.0.1:PORT as well, and nothing else is
          --idle SECONDS        end when nobody has viewed the page for this long (600)
          --metrics-token FILE  serve /metrics to clients with the token in FILE, which is created if it is missing
          --no-start            do not start a daemon
          --help                print this

        docs/page.md says more.

        """

    /// What the options ask for.
    package enum Order: Sendable, Equatable {
        case help
        case serve(port: UInt16, idle: Double, startsDaemon: Bool, metricsToken: String? = nil)
        /// An errand that a page runs in another process of this program.
        case errand(PageErrand, startsDaemon: Bool)
    }

    /// Reads the options.
    ///
    /// - Parameter arguments: the arguments, without the program's name.
    /// - Returns: what they ask for.
    /// - Throws: `PageError` for an invalid option.
    package static func order(_ arguments: [String]) throws(PageError) -> Order {
        var (port, idle, startsDaemon): (UInt16, Double, Bool) = (0, PageAttendance.patience, true)
        var metricsToken: String?
        var errand: PageErrand?
        var rest = arguments[...]
        while let option = rest.popFirst() {
            switch option {
            case "--help", "-h": return .help
            case "--no-start": startsDaemon = false
            case PageErrand.option:
                errand = rest.popFirst().flatMap(PageErrand.init(rawValue:))
                guard errand != nil else { throw PageError("\(option) is for this program's own use; see --help.") }
            case "--port":
                guard let number = rest.popFirst().flatMap(UInt16.init) else {
                    throw PageError("--port takes a port from 1 to 65535; see --help.")
                }
                port = number
            case "--idle":
                guard let seconds = rest.popFirst().flatMap(Quantity.seconds), seconds > 0 else {
                    throw PageError("--idle takes a time, such as 600 or 10m; see --help.")
                }
                idle = seconds
            case "--metrics-token":
                guard let path = rest.popFirst(), path.hasPrefix("/") else {
                    throw PageError("--metrics-token takes the absolute path of a file; see --help.")
                }
                metricsToken = path
            default: throw PageError("\(option) is not an option; see --help.")
            }
        }
        if let errand { return .errand(errand, startsDaemon: startsDaemon) }
        return .serve(port: port, idle: idle, startsDaemon: startsDaemon, metricsToken: metricsToken)
    }

    /// Runs the program.
    ///
    /// - Parameter arguments: the arguments, without the program's name.
    /// - Returns: the exit code: 0, 1 if it cannot serve, 2 if an option is invalid.
    package static func run(_ arguments: [String]) -> Int32 {
        offstage_fill_standard_descriptors()
        let order: Order
        do throws(PageError) {
            order = try self.order(arguments)
        } catch {
            write("offstage-page: \(error)\n", to: 2)
            return 2
        }
        do {
            switch order {
            case .help: return write(help, to: 1) ? 0 : 1
            case .errand(let errand, let startsDaemon):
                return write(try carryOut(errand, startsDaemon: startsDaemon), to: 1) ? 0 : 1
            case .serve(let port, let idle, let startsDaemon, let metricsToken):
                try serve(port: port, idle: idle, startsDaemon: startsDaemon, metricsToken: metricsToken)
                return 0
            }
        } catch {
            let sentence = (error as? CommandFailure)?.sentences.joined(separator: " ") ?? "\(error)"
            write("offstage-page: \(sentence.redactedControls)\n", to: 2)
            return 1
        }
    }

    private static func context(startsDaemon: Bool) -> CommandContext {
        CommandContext(
            environment: ProcessInfo.processInfo.environment,
            workingDirectory: "/",
            output: Output(capturedColumns: 0),
            startsDaemon: startsDaemon
        )
    }

    private static func connector(_ context: CommandContext) throws -> DaemonConnector {
        var connector = DaemonConnector(
            paths: try context.paths(),
            environment: context.environment,
            client: "offstage-page",
            startsDaemon: context.startsDaemon
        )
        connector.onSilence = nil
        return connector
    }

    /// The most seconds that starting a daemon may take.
    private static let startPatience = 30.0

    /// - Returns: the answer for the page, in JSON.
    private static func carryOut(_ errand: PageErrand, startsDaemon: Bool) throws -> String {
        let context = context(startsDaemon: startsDaemon)
        switch errand {
        case .findings:
            let findings = FileChecks.all(try context.paths(), context) + SystemChecks.all(context)
            return try JSONText.of(FindingsDocument(findings: findings))
        case .start:
            _ = try connector(context).connect(within: startPatience)
            return "{}"
        }
    }

    private static func serve(port: UInt16, idle: Double, startsDaemon: Bool, metricsToken: String?) throws {
        let signals = offstage_signalfd_for_daemon()
        let token = try metricsToken.map(MetricsToken.read)
        signal(SIGPIPE, SIG_IGN)
        // The parent process may have ignored this signal, and then the exit status of a child would be lost.
        signal(SIGCHLD, SIG_DFL)
        let context = context(startsDaemon: startsDaemon)
        let connector = try connector(context)
        // A user who opens a page wants to see a daemon. Later, a daemon is started only on request.
        _ = try connector.connect()
        let responder = PageResponder(context, connector, patience: idle)
        var chance = SystemRandomNumberGenerator()
        let address = PageAddress.fresh(using: &chance)
        let server = try PageServer(at: address, port: port, responder: responder)
        // A metrics reader is configured once, with a single address.
        let hasFixed = token != nil && port != 0
        let fixed = hasFixed ? try PageServer(at: .fixed, port: port, responder: responder) : nil
        let secret = PageKeys.secret()
        let keys = PageKeys(link: secret, cookie: PageKeys.secret(), metrics: token)
        let guardian = PageGuard(at: address, port: server.port, keys: keys, metricsPort: hasFixed ? port : nil)
        responder.admit(by: guardian)
        write("\(guardian.origin)\(PageGuard.entrance)\(secret)\n", to: 1)
        PageLoop([server] + (fixed.map { [$0] } ?? []), responder, signals: signals).run()
    }

    /// Whether everything was written.
    @discardableResult
    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count
    }
}
