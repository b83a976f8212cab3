// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
package import OffstageProtocol

/// What the daemon, or the way to it, refused.
public struct OffstageError: Error, Hashable, Sendable {
    /// The kind of refusal: compare this, never the text.
    public struct Code: Hashable, Sendable {
        enum Storage: Hashable {
            case daemonUnreachable, daemonSilent, daemonNotFound, daemonDidNotStart, connectionLost, timedOut,
                incompatible
            case untrusted
            case badRequest, transferNotFound, notApplicable, storeFailed, inUse, tooManyConnections,
                shuttingDown, internalError
        }

        let storage: Storage

        /// Nothing listens on the daemon's socket.
        public static let daemonUnreachable = Code(storage: .daemonUnreachable)
        /// A daemon runs, or is about to, and does not answer.
        public static let daemonSilent = Code(storage: .daemonSilent)
        /// The program `offstaged` is not installed where it is looked for.
        public static let daemonNotFound = Code(storage: .daemonNotFound)
        /// The daemon was started and gave up.
        public static let daemonDidNotStart = Code(storage: .daemonDidNotStart)
        /// The daemon closed the connection, or sent what is no answer.
        public static let connectionLost = Code(storage: .connectionLost)
        /// The daemon did not answer in time.
        public static let timedOut = Code(storage: .timedOut)
        /// The daemon and this program are of versions that do not fit together.
        public static let incompatible = Code(storage: .incompatible)
        /// What answers at the daemon's place is another user's, and was sent nothing.
        public static let untrusted = Code(storage: .untrusted)
        /// The daemon could make no sense of the request.
        public static let badRequest = Code(storage: .badRequest)
        /// There is no transfer of that number.
        public static let transferNotFound = Code(storage: .transferNotFound)
        /// The transfer's state does not allow what was asked.
        public static let notApplicable = Code(storage: .notApplicable)
        /// The daemon's store failed.
        public static let storeFailed = Code(storage: .storeFailed)
        /// Another process of the same app has the session.
        public static let inUse = Code(storage: .inUse)
        /// The daemon has as many connections as it takes.
        public static let tooManyConnections = Code(storage: .tooManyConnections)
        /// The daemon is about to exit.
        public static let shuttingDown = Code(storage: .shuttingDown)
        /// A mistake in Offstage.
        public static let internalError = Code(storage: .internalError)
    }

    /// The kind of refusal.
    public let code: Code
    /// The path, identifier or version the code is about; for a refusal by the daemon, its own sentence.
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
    /// One sentence a person can act on.
    public var errorDescription: String? { description }

    /// One sentence a person can act on.
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
        case .daemonSilent, .untrusted, .incompatible, .badRequest, .transferNotFound, .notApplicable, .storeFailed,
            .inUse,
            .tooManyConnections, .shuttingDown, .internalError:
            subject
        }
    }

    private var aside: String { detail.isEmpty ? "" : " (\(detail))" }
}
