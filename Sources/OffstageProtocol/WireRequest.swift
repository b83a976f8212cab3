// SPDX-License-Identifier: Apache-2.0

/// One request to the daemon; its reply type is part of its own type.
package protocol WireRequest: Codable, Sendable {
    associatedtype Reply: Codable & Sendable
    static var name: String { get }
}

/// A reply that only means "done".
package struct Empty: Codable, Sendable, Equatable {
    package init() {}
}

/// The daemon's refusal of a request.
package struct WireFailure: Error, Codable, Sendable, Equatable {
    package enum Code: String, Codable, Sendable {
        /// The request is invalid: a bad frame, an unknown name, a value out of range.
        case badRequest
        /// Client and daemon have no protocol version in common.
        case incompatible
        case notFound
        /// The transfer's state does not allow the request.
        case notApplicable
        case store
        /// Another process has it open.
        case inUse
        case tooManyConnections
        case shuttingDown
        case internalError
    }

    package var code: Code
    /// One sentence for people.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The program at the other end of the connection is unknown.
    package static var unknownProcess: WireFailure {
        WireFailure(
            .badRequest,
            "The daemon cannot identify this program: it has ended, or hides its executable."
        )
    }
}
