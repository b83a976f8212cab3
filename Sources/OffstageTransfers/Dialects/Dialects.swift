// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The dialects that uploads may be spoken in.
package enum Dialects {
    /// All but the plain one. A new dialect is a folder beside this file, a line here, and a run of
    /// `DialectConformance` in the tests.
    private static let all: [any UploadDialect.Type] = [DropboxUpload.self]

    /// The dialect of an upload, as it goes on with what is kept.
    ///
    /// - Throws: `RequestError` for a dialect that is not known, or parameters that it refuses.
    package static func make(
        _ spec: TransferSpec,
        memory: [UInt8]?,
        now: Moment
    ) throws(RequestError) -> any UploadDialect {
        guard let name = spec.dialect?.name else { return try PlainUpload(spec, memory: memory, now: now) }
        guard let dialect = all.first(where: { $0.name == name }) else {
            throw .invalidValue("The dialect '\(name.redactedControls)' is not known to this daemon: update it")
        }
        return try dialect.init(spec, memory: memory, now: now)
    }
}
