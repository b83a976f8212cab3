// SPDX-License-Identifier: Apache-2.0

/// A request whose head was read: what is done with its body, and what came of the head alone.
package struct EmulatorCall: Sendable {
    /// What is done with one part of the body.
    package struct Part: Sendable {
        /// Bytes; nil for the rest of the body.
        package var length: Int64?
        /// Takes the part's bytes: it goes on from what the session holds, so that the whole file's hash is known.
        package var hasher: ContentHasher
        /// The session as it was when the plan was made; what is refused later is never stored.
        var session: String?
        var base: Int64
    }

    /// The head alone, of everything that the emulator itself does not know a route for.
    package var request: EmulatorRequest
    package var route: EmulatorRoute?
    /// Which request it is, counted from 1.
    package var number: Int
    /// Where the bytes go; empty when nobody needs them.
    package var parts: [Part] = []
    /// Whether the bytes are needed as they are: a JSON argument or a form.
    package var needsBytes = false
    /// What goes wrong with it; nil for nothing.
    package var fault: DropboxFault?
    var argument: Result<EmulatorJSON, DropboxRefusal> = .success(.null)

    /// Whether bytes of the body must be kept in a segment.
    package var isStored: Bool { !parts.isEmpty }

    /// The position in the body at which the connection is cut; nil for never.
    package var cut: Int64? {
        if case .cut(let position, _)? = fault { position } else { nil }
    }
}
