// SPDX-License-Identifier: Apache-2.0

/// Where and how a file is committed.
struct CommitInfo: Sendable {
    enum Mode: Sendable, Equatable {
        case add
        case overwrite
        /// The revision to replace.
        case update(String)
    }

    var path: String
    var mode: Mode
    var autorename: Bool
    /// As given by the client, and returned unchanged.
    var clientModified: String?
    var strictConflict: Bool
    /// The first template of the property groups; the emulator knows no templates.
    var propertyTemplate: String?

    /// Reads the fields of a CommitInfo; other fields are left to the caller.
    init(_ reader: inout ArgumentReader) throws(DropboxRefusal) {
        path = try reader.string("path")
        guard DropboxPath.isWritable(path) else {
            throw reader.refuse("path", "'\(path)' did not match pattern '(/(.|[\\r\\n])*)|(ns:[0-9]+(/.*)?)|(id:.*)'")
        }
        switch try reader.union("mode", members: ["add": false, "overwrite": false, "update": true]) {
        case ("overwrite", _)?: mode = .overwrite
        case ("update", let rev?)?:
            guard Self.isRevision(rev) else {
                throw reader.refuse("mode", "'\(rev)' did not match pattern '[0-9a-f]{9,}'")
            }
            mode = .update(rev)
        default: mode = .add
        }
        autorename = try reader.bool("autorename", default: false)
        clientModified = try reader.optionalString("client_modified")
        if let clientModified, !UTCTime.isValid(clientModified) {
            throw reader.refuse(
                "client_modified",
                "time data '\(clientModified)' does not match format '%Y-%m-%dT%H:%M:%SZ'"
            )
        }
        _ = try reader.bool("mute", default: false)
        strictConflict = try reader.bool("strict_conflict", default: false)
        if case .array(let groups)? = reader.any("property_groups"), let first = groups.first {
            propertyTemplate = first["template_id"].string ?? ""
        }
    }

    static func isRevision(_ text: String) -> Bool {
        text.utf8.count >= 9 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
