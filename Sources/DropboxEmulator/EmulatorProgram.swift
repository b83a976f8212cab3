// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// The program `offstage-dropbox-emulator`: parses the options, prints its address, and runs until a signal.
package enum EmulatorProgram {
    package static let help = """
        Usage: offstage-dropbox-emulator [OPTION]...

        Stands in for Dropbox on 127.0.0.1: OAuth 2, uploads, upload sessions, metadata and downloads, with the
        errors that Dropbox documents and with faults that a test asks for. Prints one line with its address when it
        listens, and ends on SIGTERM or SIGINT. Nothing outlives it.

          --port PORT           listen there; without it, on a port that is free
          --folder FOLDER       keep received bytes there; without it, in a temporary folder
          --discard             hash received bytes and keep none: files cannot be downloaded
          --certificate FILE    speak https with this certificate (PEM), together with --key
          --key FILE            the certificate's key (PEM)
          --app-key KEY[:SECRET]
                                the app that may ask for tokens, once for each; without it, any app may
          --latency MS          milliseconds before each answer
          --token-lifetime S    seconds that an access token lasts (14400)
          --seed NUMBER         of identifiers and tokens (1)
          --help                print this

        Set faults with POST /emulator/faults, see what came with GET /emulator/record, begin again with
        POST /emulator/reset, get a token with POST /emulator/token. docs/dropbox-emulator.md tells the rest.

        """

    /// The action that the options select.
    package enum Order: Sendable {
        case help
        case serve(DropboxEmulatorServer.Configuration, certificate: String?, key: String?)
    }

    /// Runs the program.
    ///
    /// - Parameter arguments: without the program's name.
    /// - Returns: the exit code: 0, 1 if it cannot listen, 2 for an invalid option.
    package static func run(_ arguments: [String]) -> Int32 {
        fillStandardDescriptors()
        do throws(DropboxEmulatorError) {
            guard case .serve(var configuration, let certificate, let key) = try order(arguments) else {
                guard write(help, to: 1) else {
                    let why = String(cString: strerror(errno))
                    throw DropboxEmulatorError("Standard output cannot be written (\(why)).")
                }
                return 0
            }
            if let certificate, let key {
                configuration.security = (try text(certificate), try text(key))
            }
            return try serve(configuration)
        } catch {
            write("offstage-dropbox-emulator: \(error)\n", to: 2)
            return error.isUsage ? 2 : 1
        }
    }

    private static func serve(
        _ configuration: DropboxEmulatorServer.Configuration
    ) throws(DropboxEmulatorError) -> Int32 {
        // Blocked before any thread starts, so that no thread takes the signal.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
        let server = try DropboxEmulatorServer(configuration)
        write("Listening on \(server.address)\n", to: 1)
        var received: Int32 = 0
        while sigwait(&signals, &received) != 0 {}
        server.stop()
        return 0
    }

    /// Reads the options.
    package static func order(_ arguments: [String]) throws(DropboxEmulatorError) -> Order {
        var configuration = DropboxEmulatorServer.Configuration()
        var certificate: String?
        var key: String?
        var rest = arguments[...]
        while let option = rest.popFirst() {
            if option == "--help" || option == "-h" { return .help }
            if option == "--discard" {
                configuration.discards = true
                continue
            }
            guard let value = rest.popFirst() else {
                throw .usage(known.contains(option) ? "\(option) needs a value" : "\(option) is not an option")
            }
            switch option {
            case "--port": configuration.port = try number(value, option)
            case "--folder": configuration.folder = value
            case "--certificate": certificate = value
            case "--key": key = value
            case "--app-key":
                let parts = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                configuration.apps[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
            case "--latency": configuration.rules.latency = Double(try number(value, option) as UInt32) / 1000
            case "--token-lifetime": configuration.rules.tokenLifetime = Double(try number(value, option) as UInt32)
            case "--seed": configuration.seed = try number(value, option)
            default: throw .usage("\(option) is not an option")
            }
        }
        guard (certificate == nil) == (key == nil) else { throw .usage("--certificate and --key come together") }
        guard configuration.folder == nil || !configuration.discards else {
            throw .usage("--folder and --discard exclude each other")
        }
        return .serve(configuration, certificate: certificate, key: key)
    }

    private static let known = [
        "--port", "--folder", "--certificate", "--key", "--app-key", "--latency", "--token-lifetime", "--seed",
    ]

    private static func number<Number: FixedWidthInteger>(
        _ text: String,
        _ option: String
    ) throws(DropboxEmulatorError) -> Number {
        guard let number = Number(text), number >= 0 else {
            throw .usage("\(option) takes a whole number, not \(text)")
        }
        return number
    }

    private static func text(_ path: String) throws(DropboxEmulatorError) -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw DropboxEmulatorError("\(path) cannot be read.")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// A connection would otherwise get the number of a closed standard descriptor, and be printed to.
    private static func fillStandardDescriptors() {
        for descriptor in 0...2 as ClosedRange<Int32> where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Returns whether the whole text was written.
    @discardableResult
    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count
    }
}

extension DropboxEmulatorError {
    /// The error for an invalid option.
    static func usage(_ what: String) -> DropboxEmulatorError {
        DropboxEmulatorError("\(what); --help tells what there is.")
    }

    var isUsage: Bool { description.hasSuffix("--help tells what there is.") }
}
