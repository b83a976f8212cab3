// SPDX-License-Identifier: Apache-2.0

/// A request whose head was read: the plan for its body, and the outcome of the head alone.
package struct EmulatorCall: Sendable {
    /// The plan for one part of the body.
    package struct Part: Sendable {
        /// The part's length in bytes; nil for the rest of the body.
        package var length: Int64?
        /// Hashes the part's bytes: it continues from the session's bytes, so that it yields the whole file's hash.
        package var hasher: ContentHasher
        /// The session when the plan was made; bytes that are refused later are never stored.
        var session: String?
        var base: Int64
    }

    /// The head alone, of everything that the emulator itself does not know a route for.
    package var request: EmulatorRequest
    package var route: EmulatorRoute?
    /// The request's number, counted from 1.
    package var number: Int
    /// The destination of the bytes; empty if they are not needed.
    package var parts: [Part] = []
    /// Whether the bytes themselves are needed: a JSON argument or a form.
    package var needsBytes = false
    /// The call's fault, if any.
    package var fault: DropboxFault?
    var argument: Result<EmulatorJSON, DropboxRefusal> = .success(.null)

    /// Whether bytes of the body must be kept in a segment.
    package var isStored: Bool { !parts.isEmpty }

    /// The position in the body at which the connection is cut; nil for never.
    package var cut: Int64? {
        if case .cut(let position, _)? = fault { position } else { nil }
    }
}
