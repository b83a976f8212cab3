// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// The files of rows, on the storage that the member shares with its fleet: for a thread that may wait.
struct SharedFiles: Sendable {
    /// Why a row cannot be carried out here.
    struct Refusal: Error {
        let end: FleetEnd
    }

    struct Found: Sendable {
        let grant: FleetGrant
        let result: Result<TransferSpec, Refusal>
    }

    private let settings: MemberSettings

    init(_ settings: MemberSettings) { self.settings = settings }

    /// Looks at the files of rows: each is reached with links resolved, so that nothing outside of the shared folders is sent, and
    /// must be as it was when it was submitted.
    ///
    /// - Parameter rows: specifications as they were submitted, on whatever machine.
    /// - Returns: the same with the files' identities here, or why they cannot be sent.
    func look(at rows: [(FleetGrant, TransferSpec)]) -> [Found] {
        let trust = settings.trust()
        return rows.map { grant, spec in
            Found(
                grant: grant,
                result: Result { () throws(Refusal) -> TransferSpec in try localized(spec, trust) }
            )
        }
    }

    private func localized(_ spec: TransferSpec, _ trust: FleetTrust) throws(Refusal) -> TransferSpec {
        for path in FleetTrust.files(of: spec) { _ = try resolved(path, trust) }
        var spec = spec
        switch spec.direction {
        case .upload(let source): spec.direction = .upload(try localized(source, trust))
        case .form(var form):
            var parts: [FormBody.Part] = []
            for var part in form.parts {
                if case .file(let source) = part.content { part.content = .file(try localized(source, trust)) }
                parts.append(part)
            }
            form.parts = parts
            spec.direction = .form(form)
        case .download: throw Refusal(end: FleetEnd(.failed, detail: "a fleet only sends files"))
        }
        return spec
    }

    private func localized(
        _ source: TransferSpec.UploadSource,
        _ trust: FleetTrust
    ) throws(Refusal) -> TransferSpec.UploadSource {
        let path = try resolved(source.path, trust)
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.missing(source.path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Refusal(end: FleetEnd(.failed, detail: "\(source.path.redactedControls) is not a file"))
        }
        let identity = FileIdentity(
            device: UInt64(clamping: status.st_dev),
            inode: UInt64(clamping: status.st_ino),
            size: Int64(clamping: status.st_size),
            modified: FileIdentity.nanoseconds(seconds: status.st_mtim.tv_sec, and: status.st_mtim.tv_nsec)
        )
        guard identity.size == source.identity.size, identity.modified == source.identity.modified else {
            let detail = "the file has changed since it was submitted: \(source.path.redactedControls)"
            throw Refusal(end: FleetEnd(.failed, detail: detail))
        }
        return TransferSpec.UploadSource(path: path, identity: identity)
    }

    private func resolved(_ path: String, _ trust: FleetTrust) throws(Refusal) -> String {
        guard let found = MemberSettings.resolved(path) else { throw Self.missing(path, errno) }
        guard trust.reaches(found) else {
            let detail = "its member does not share \(path.redactedControls)"
            throw Refusal(end: FleetEnd(.failed, detail: detail, isOfMachine: true))
        }
        return found
    }

    private static func missing(_ path: String, _ code: Int32) -> Refusal {
        let detail = "its member cannot read \(path.redactedControls): \(String(cString: strerror(code)))"
        return Refusal(end: FleetEnd(.failed, detail: detail, isOfMachine: true))
    }
}
