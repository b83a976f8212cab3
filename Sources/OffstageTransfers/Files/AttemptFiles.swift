// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore
import OffstageFiles

/// Opens the file of an attempt. Blocking: called on a worker, never on the loop.
package enum AttemptFiles {
    /// A file that is ready for an attempt.
    package struct Opened: Sendable {
        package var fileDescriptor: Int32
        package var path: String
        /// From which byte a download goes on.
        package var offset: Int64
        package var identity: FileIdentity
        /// What the name of a partial file holds besides the usual; nil for nothing.
        package var partialTag: String?
        /// Where a download goes to.
        package var folder: TargetFolder?

        /// Gives the descriptor back; a form has none of its own.
        func close() { if fileDescriptor >= 0 { Glibc.close(fileDescriptor) } }
    }

    /// Where a download is kept until it is whole: beside its target, so that a rename suffices.
    ///
    /// The name holds the store's token, since two daemons may write to one folder, and not the target's name, which
    /// may already be as long as a name can be. Where somebody else had that name already, a tag makes it another.
    package static func partialPath(target: String, id: TransferID, storeToken: String, tag: String? = nil) -> String {
        let slash = target.lastSlash ?? target.startIndex
        // checked: an index of this very text
        return target[..<slash] + "/.offstage-\(storeToken)-\(id)\(tag.map { "-\($0)" } ?? "").part"
    }

    /// Where a download is kept until it is whole.
    package static func partialPath(of transfer: Transfer, storeToken: String) -> String {
        partialPath(target: transfer.spec.path, id: transfer.id, storeToken: storeToken, tag: transfer.partialTag)
    }

    package static func open(
        _ transfer: Transfer,
        storeToken: String,
        bootID: String,
        resumableFolder: String
    ) -> Result<Opened, TransferFailure> {
        // What is in the store from before there were limits.
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
                known = ResumableFiles.take(token, from: resumableFolder, as: path) ?? known
            }
            return openPartial(transfer, target: target, known: known, storeToken: storeToken, bootID: bootID)
        }
    }

    /// Looks at all files of a form; each is opened when its turn comes, since there may be more than may be open.
    private static func checkSources(of form: FormBody) -> Result<Opened, TransferFailure> {
        for source in form.sources {
            switch openSource(source) {
            case .success(let opened): close(opened.fileDescriptor)
            case .failure(let failure): return .failure(failure)
            }
        }
        let identity = FileIdentity(device: 0, inode: 0, size: form.body.count, modified: 0)
        return .success(Opened(fileDescriptor: -1, path: "", offset: 0, identity: identity))
    }

    static func openSource(_ source: TransferSpec.UploadSource) -> Result<Opened, TransferFailure> {
        // O_NONBLOCK: a pipe that took the file's place must not hold the worker.
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
        return .success(Opened(fileDescriptor: descriptor, path: source.path, offset: 0, identity: identity))
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
        let offset = transfer.partial?.resumeOffset(fileSize: identity.size, bootID: bootID) ?? 0
        if offset < identity.size {
            // Whatever lies behind the offset is not trusted, or belongs to nothing.
            // checked: the same type by another name
            guard ftruncate(file.descriptor, off_t(offset)) == 0 else {
                let failure = FileTrouble.ofTarget(errno, target.path)
                close(file.descriptor)
                return .failure(failure)
            }
            identity.size = offset
        }
        return .success(
            Opened(
                fileDescriptor: file.descriptor,
                path: file.path,
                offset: offset,
                identity: identity,
                partialTag: file.tag,
                folder: TargetFolder(of: target.path)
            )
        )
    }

    /// It is not the target that is there already.
    private static func partialFailure(_ code: Int32, _ target: String) -> TransferFailure {
        code == EEXIST
            ? .init(
                .targetNotWritable,
                "another user keeps taking the names of the partial file of \(target.redactedControls)"
            )
            : FileTrouble.ofTarget(code, target)
    }

    /// Why nothing may get the target's name; nil where it is free, or may be taken from what has it.
    static func targetProblem(_ target: TransferSpec.DownloadTarget) -> TransferFailure? {
        var status = stat()
        guard lstat(target.path, &status) == 0 else { return nil }
        let name = target.path.redactedControls
        let kind = status.st_mode & S_IFMT
        if kind == S_IFDIR { return .init(.targetNotWritable, "\(name) is a directory") }
        if kind != S_IFREG, kind != S_IFLNK { return .init(.targetNotWritable, "\(name) is not a regular file") }
        return target.overwrites ? nil : .init(.targetExists, "\(name) exists already")
    }
}

extension AttemptFiles {
    /// Deletes a file of ours; one that is not there is no matter.
    package static func delete(_ path: String) {
        unlink(path)
    }
}
