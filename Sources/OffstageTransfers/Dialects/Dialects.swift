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
        return try known(name).init(spec, memory: memory, now: now)
    }

    /// Reads which account a transfer is for; nil for none.
    ///
    /// - Throws: `RequestError` for a dialect that is not known, or parameters that cannot be read.
    package static func account(of spec: TransferSpec) throws(RequestError) -> String? {
        guard let name = spec.dialect?.name else { return nil }
        return try known(name).account(of: spec)
    }

    /// What the owner of an upload decided besides its place, for people; nil for nothing.
    package static func options(of spec: TransferSpec) -> String? {
        guard let name = spec.dialect?.name else { return nil }
        return try? known(name).options(of: spec)
    }

    /// A transfer as the daemon takes it in: its dialect can speak it, and what is sent with a token goes to the
    /// account's own places.
    ///
    /// - Parameters:
    ///   - spec: as its owner wrote it.
    ///   - account: the one that it is for; nil when there is none of that name.
    ///   - now: the time.
    /// - Returns: what is kept.
    /// - Throws: `RequestError` with what is wrong.
    package static func settled(
        _ spec: TransferSpec,
        for account: Account?,
        now: Moment
    ) throws(RequestError) -> TransferSpec {
        guard let name = spec.dialect?.name else { return spec }
        var settled = try known(name).settled(spec, for: account)
        let dialect = try make(settled, memory: nil, now: now)
        guard let account else { return settled }
        guard account.owns(dialect.tokenPlaces) else {
            throw .invalidValue(
                "The file would not go to the account '\(account.name)', which is at \(account.endpoints.api): hand it over without naming a server"
            )
        }
        settled.certificateAuthorityPath = settled.certificateAuthorityPath ?? account.certificateAuthorityPath
        if settled.proxy == .init() { settled.proxy = account.proxy }
        return settled
    }

    private static func known(_ name: String) throws(RequestError) -> any UploadDialect.Type {
        guard let dialect = all.first(where: { $0.name == name }) else {
            throw .invalidValue("The dialect '\(name.redactedControls)' is not known to this daemon: update it")
        }
        return dialect
    }
}
