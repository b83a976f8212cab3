// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
import OffstageFiles

/// The files of rows on the storage that the member shares with its fleet. For a thread that may block.
package struct SharedFiles: Sendable {
    /// Why a row cannot be carried out here.
    package struct Refusal: Error {
        package let end: FleetEnd
    }

    /// The result for one row.
    package struct Found: Sendable {
        package let grant: FleetGrant
        package let result: Result<TransferSpec, Refusal>
    }

    private let settings: MemberSettings

    package init(_ settings: MemberSettings) { self.settings = settings }

    /// Checks the files of rows. Links are resolved, so nothing outside the shared folders is sent. A file must be
    /// unchanged since it was submitted. Never waits for the writer of a pipe.
    ///
    /// - Parameter rows: specifications as submitted on any machine.
    /// - Returns: the specifications with the files' identities here, or why they cannot be sent.
    package func look(at rows: [(FleetGrant, TransferSpec)]) -> [Found] {
        let trust = settings.trust()
        return rows.map { grant, spec in
            Found(
                grant: grant,
                result: Result { () throws(Refusal) -> TransferSpec in try localized(spec, trust) }
            )
        }
    }

    private func localized(_ spec: TransferSpec, _ trust: FleetTrust) throws(Refusal) -> TransferSpec {
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
        // All later checks use this descriptor, as another process could replace the file between two checks by name.
        // O_PATH locates a file without waiting for a pipe or waking a device.
        let file = open(source.path, offstage_open_path | O_CLOEXEC)
        guard file >= 0 else { throw Self.missing(source.path, errno) }
        defer { close(file) }
        let path = try Self.place(of: file, source.path, trust)
        var status = stat()
        guard fstat(file, &status) == 0 else { throw Self.missing(source.path, errno) }
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

    /// The path of an open file, which must be in a shared folder.
    private static func place(of file: Int32, _ path: String, _ trust: FleetTrust) throws(Refusal) -> String {
        guard let found = SmallFile.link("/proc/self/fd/\(file)") else { throw missing(path, errno) }
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
