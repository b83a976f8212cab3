// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
package import OffstageProtocol

/// A refusal by the daemon, or a failure to reach it.
public struct OffstageError: Error, Hashable, Sendable {
    /// The kind of refusal: compare this, never the message.
    public struct Code: Hashable, Sendable {
        enum Storage: Hashable {
            case daemonUnreachable, daemonSilent, daemonNotFound, daemonDidNotStart, connectionLost, timedOut,
                incompatible, interrupted
            case untrusted
            case badRequest, transferNotFound, notApplicable, storeFailed, inUse, tooManyConnections,
                shuttingDown, internalError
        }

        let storage: Storage

        /// No daemon is listening on the daemon's socket.
        public static let daemonUnreachable = Code(storage: .daemonUnreachable)
        /// A daemon is running or starting, but does not answer.
        public static let daemonSilent = Code(storage: .daemonSilent)
        /// The program `offstaged` was not found in any searched location.
        public static let daemonNotFound = Code(storage: .daemonNotFound)
        /// The daemon was started, but gave up.
        public static let daemonDidNotStart = Code(storage: .daemonDidNotStart)
        /// The daemon closed the connection, or sent an invalid answer.
        public static let connectionLost = Code(storage: .connectionLost)
        /// The daemon did not answer in time.
        public static let timedOut = Code(storage: .timedOut)
        /// A signal ended the wait of a command.
        package static let interrupted = Code(storage: .interrupted)
        /// The versions of the daemon and this program are incompatible.
        public static let incompatible = Code(storage: .incompatible)
        /// The program in the daemon's place belongs to another user; nothing was sent to it.
        public static let untrusted = Code(storage: .untrusted)
        /// The daemon did not understand the request.
        public static let badRequest = Code(storage: .badRequest)
        /// There is no transfer with that number.
        public static let transferNotFound = Code(storage: .transferNotFound)
        /// The transfer's state does not allow the request.
        public static let notApplicable = Code(storage: .notApplicable)
        /// The daemon's store failed.
        public static let storeFailed = Code(storage: .storeFailed)
        /// Another process of the same app has the session.
        public static let inUse = Code(storage: .inUse)
        /// The daemon has reached its limit of connections.
        public static let tooManyConnections = Code(storage: .tooManyConnections)
        /// The daemon is about to exit.
        public static let shuttingDown = Code(storage: .shuttingDown)
        /// A bug in Offstage.
        public static let internalError = Code(storage: .internalError)
    }

    /// The kind of refusal.
    public let code: Code
    /// The path, identifier or version that the code refers to; for a refusal by the daemon, the daemon's own message.
    public let subject: String
    /// What exactly went wrong, as the middle of a sentence.
    private let detail: String

    package init(_ code: Code, _ subject: String, detail: String = "") {
        self.code = code
        self.subject = subject
        self.detail = detail
    }

    /// The daemon's own refusal of a request.
    package init(_ failure: WireFailure) {
        let code: Code =
            switch failure.code {
            case .badRequest: .badRequest
            case .incompatible: .incompatible
            case .notFound: .transferNotFound
            case .notApplicable: .notApplicable
            case .store: .storeFailed
            case .inUse: .inUse
            case .tooManyConnections: .tooManyConnections
            case .shuttingDown: .shuttingDown
            case .internalError: .internalError
            }
        self.init(code, failure.message)
    }
}

extension OffstageError: LocalizedError, CustomStringConvertible {
    /// One sentence that a person can act on.
    public var errorDescription: String? { description }

    /// One sentence that a person can act on.
    public var description: String {
        switch code.storage {
        case .daemonUnreachable:
            "No Offstage daemon answers at \(subject)\(aside): start one with any other command, or see 'offstage doctor'."
        case .daemonNotFound:
            "The program offstaged was not found (\(subject)): install it beside this program, in PATH, or name it in OFFSTAGED."
        case .daemonDidNotStart:
            detail.isEmpty ? subject : "The daemon \(subject) did not start (\(detail)): see 'offstage daemon log'."
        case .connectionLost:
            "The connection to the daemon at \(subject) broke\(aside): try again, or see 'offstage daemon log'."
        case .timedOut: "The daemon at \(subject) did not answer in time\(aside): see 'offstage doctor'."
        case .daemonSilent, .interrupted, .untrusted, .incompatible, .badRequest, .transferNotFound, .notApplicable,
            .storeFailed, .inUse, .tooManyConnections, .shuttingDown, .internalError:
            subject
        }
    }

    private var aside: String { detail.isEmpty ? "" : " (\(detail))" }
}
