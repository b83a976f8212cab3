// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore
import OffstageFiles

/// Opens the file of an attempt. Blocking: call it on a worker, never on the loop.
package enum AttemptFiles {
    /// A file that is ready for an attempt.
    package struct Opened: Sendable {
        package var fileDescriptor: Int32
        package var path: String
        /// The byte at which a download continues.
        package var offset: Int64
        /// The bytes in the partial file of a download that may use several connections.
        package var held: ByteSpans?
        package var identity: FileIdentity
        /// The device numbers of the file systems with the attempt's files.
        package var fileSystems: [UInt64]
        /// The extra part of the partial file's name; nil if there is no extra part.
        package var partialTag: String?
        /// The folder of a download's target.
        package var folder: TargetFolder?

        /// Closes the descriptor; a form has no descriptor.
        func close() { if fileDescriptor >= 0 { Glibc.close(fileDescriptor) } }
    }

    /// The path of a download until it is complete: beside its target, so a rename suffices.
    ///
    /// The name contains the store's token, since two daemons may write to one folder. It does not contain the target's
    /// name, which may already have the maximum length. If another user already has the name, a tag makes it unique.
    package static func partialPath(target: String, id: TransferID, storeToken: String, tag: String? = nil) -> String {
        let slash = target.lastSlash ?? target.startIndex
        // checked: an index of this very text
        return target[..<slash] + "/.offstage-\(storeToken)-\(id)\(tag.map { "-\($0)" } ?? "").part"
    }

    /// The path of a download until it is complete.
    package static func partialPath(of transfer: Transfer, storeToken: String) -> String {
        partialPath(target: transfer.spec.path, id: transfer.id, storeToken: storeToken, tag: transfer.partialTag)
    }

    package static func open(
        _ transfer: Transfer,
        storeToken: String,
        bootID: String,
        resumableFolder: String
    ) -> Result<Opened, TransferFailure> {
        // The store may contain transfers from before the limits existed.
        do throws(RequestError) { try transfer.spec.checkSize() } catch {
            return .failure(.init(.requestTooLarge, error.middle))
        }
        switch transfer.spec.direction {
        case .upload(let source): return openSource(source)
        case .form(let form): return checkSources(of: form)
        case .download(let target):
            if target.remoteName != .wanted, let failure = targetProblem(target) { return .failure(failure) }
            var known = transfer.partialFile
            if let token = transfer.spec.resumesFrom, ResumeData.isToken(token) {
                let path = partialPath(of: transfer, storeToken: storeToken)
                known = ResumableFiles.claim(token, from: resumableFolder, as: path) ?? known
            }
            return openPartial(transfer, target: target, known: known, storeToken: storeToken, bootID: bootID)
        }
    }

    /// Checks all files of a form. Each is opened when it is needed, since a form may have more files than may be open.
    private static func checkSources(of form: FormBody) -> Result<Opened, TransferFailure> {
        for source in form.sources {
            switch openSource(source) {
            case .success(let opened): close(opened.fileDescriptor)
            case .failure(let failure): return .failure(failure)
            }
        }
        let identity = FileIdentity(device: 0, inode: 0, size: form.body.count, modified: 0)
        let fileSystems = Array(Set(form.sources.map(\.identity.device)))
        return .success(
            Opened(fileDescriptor: -1, path: "", offset: 0, identity: identity, fileSystems: fileSystems)
        )
    }

    static func openSource(_ source: TransferSpec.UploadSource) -> Result<Opened, TransferFailure> {
        // O_NONBLOCK: a pipe that replaced the file must not block the worker.
        let descriptor = Glibc.open(source.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .failure(FileTrouble.ofSource(errno, source.path)) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let failure = FileTrouble.ofSource(errno, source.path)
            close(descriptor)
            return .failure(failure)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return .failure(
                status.st_mode & S_IFMT == S_IFDIR
                    ? .init(.sourceIsDirectory, "\(source.path.redactedControls) is a directory")
                    : .init(.sourceUnreadable, "\(source.path.redactedControls) is not a regular file")
            )
        }
        let identity = FileIdentity(status)
        guard identity == source.identity else {
            close(descriptor)
            return .failure(
                .init(.sourceChanged, "\(source.path.redactedControls) has changed since it was handed over")
            )
        }
        return .success(
            Opened(
                fileDescriptor: descriptor,
                path: source.path,
                offset: 0,
                identity: identity,
                fileSystems: [identity.device]
            )
        )
    }

    private static func openPartial(
        _ transfer: Transfer,
        target: TransferSpec.DownloadTarget,
        known: FileIdentity?,
        storeToken: String,
        bootID: String
    ) -> Result<Opened, TransferFailure> {
        let file: PartialFile.Opened
        let name: (String?) -> String = {
            partialPath(target: target.path, id: transfer.id, storeToken: storeToken, tag: $0)
        }
        switch PartialFile.open(name, tag: transfer.partialTag, known: known) {
        case .success(let opened): file = opened
        case .failure(let error): return .failure(partialFailure(error.code, target.path))
        }
        var identity = FileIdentity(file.status)
        let (size, looksBack) = (identity.size, transfer.looksBack)
        let kept = transfer.partial?.resumeOffset(fileSize: size, bootID: bootID) ?? 0
        let offset = transfer.partial?.resumeOffset(fileSize: size, bootID: bootID, looksBack: looksBack) ?? 0
        let known = transfer.partial?.held(fileSize: size, bootID: bootID, looksBack: looksBack) ?? ByteSpans()
        let held: ByteSpans? = PieceSchedule.maySplit(transfer) ? known : nil
        let end = max(kept, held?.end ?? 0)
        if end < identity.size {
            // Bytes beyond the end are not trusted, or belong to no piece.
            // checked: the same type by another name
            guard ftruncate(file.descriptor, off_t(end)) == 0 else {
                let failure = FileTrouble.ofTarget(errno, target.path)
                close(file.descriptor)
                return .failure(failure)
            }
            identity.size = end
        }
        return .success(
            Opened(
                fileDescriptor: file.descriptor,
                path: file.path,
                offset: offset,
                held: held,
                identity: identity,
                fileSystems: [identity.device],
                partialTag: file.tag,
                folder: TargetFolder(of: target.path)
            )
        )
    }

    /// The failure for a partial file: EEXIST concerns that file, not the target.
    private static func partialFailure(_ code: Int32, _ target: String) -> TransferFailure {
        code == EEXIST
            ? .init(
                .targetNotWritable,
                "another user keeps taking the names of the partial file of \(target.redactedControls)"
            )
            : FileTrouble.ofTarget(code, target)
    }

    /// Why the target's name cannot be used; nil if it is free, or may be overwritten.
    static func targetProblem(_ target: TransferSpec.DownloadTarget) -> TransferFailure? {
        var status = stat()
        guard lstat(target.path, &status) == 0 else { return nil }
        let name = target.path.redactedControls
        let kind = status.st_mode & S_IFMT
        if kind == S_IFDIR { return .init(.targetNotWritable, "\(name) is a directory") }
        if kind != S_IFREG, kind != S_IFLNK { return .init(.targetNotWritable, "\(name) is not a regular file") }
        return target.overwrites ? nil : .init(.targetExists, "\(name) already exists")
    }
}

extension AttemptFiles {
    /// Deletes one of Offstage's files; a missing file is not an error.
    package static func delete(_ path: String) {
        unlink(path)
    }
}
