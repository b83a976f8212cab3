// SPDX-License-Identifier: Apache-2.0

/// The destination of bytes in a session.
struct SessionCursor {
    var session: String
    var offset: Int64

    init(_ reader: inout ArgumentReader) throws(DropboxRefusal) {
        var inner = try reader.object("cursor")
        session = try inner.string("session_id")
        offset = try inner.count("offset")
        try inner.end()
    }
}

/// One entry of `append_batch`.
struct AppendEntry {
    var cursor: SessionCursor
    var length: Int64
    var close: Bool

    static func all(_ reader: inout ArgumentReader) throws(DropboxRefusal) -> [AppendEntry] {
        let readers = try reader.objects("entries")
        guard (1...1000).contains(readers.count) else {
            throw reader.refuse("entries", "a list of \(readers.count) is not within range [1, 1000]")
        }
        var entries: [AppendEntry] = []
        for var inner in readers {
            let cursor = try SessionCursor(&inner)
            let length = try inner.count("length")
            entries.append(AppendEntry(cursor: cursor, length: length, close: try inner.bool("close", default: false)))
            try inner.end()
        }
        return entries
    }
}

/// The reason why a session refuses a call, as a member of the error union.
struct SessionFault: Error {
    var error: EmulatorJSON

    static func tag(_ name: String) -> SessionFault { SessionFault(error: .tag(name)) }

    static func offset(_ correct: Int64) -> SessionFault {
        SessionFault(error: .tag("incorrect_offset", ["correct_offset": .integer(correct)]))
    }
}
