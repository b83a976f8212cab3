// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

/// Opens the file of an attempt. Blocking: called on a worker, never on the loop.
package enum AttemptFiles {
    /// A file that is ready for an attempt.
    package struct Opened: Sendable {
        package var fileDescriptor: Int32
        package var path: String
        /// From which byte a download goes on.
        package var offset: Int64
        package var identity: FileIdentity
    }

    /// Where a download is kept until it is whole: beside its target, so that a rename suffices.
    ///
    /// The name holds the store's token, since two daemons may write to one folder, and not the target's name, which
    /// may already be as long as a name can be.
    package static func partialPath(target: String, id: TransferID, storeToken: String) -> String {
        let slash = target.lastIndex(of: "/") ?? target.startIndex
        return target[..<slash] + "/.offstage-\(storeToken)-\(id).part"
    }

    package static func open(
        _ transfer: Transfer,
        storeToken: String,
        bootID: String,
        resumableFolder: String
    ) -> Result<Opened, TransferFailure> {
        switch transfer.spec.direction {
        case .upload(let source): return openSource(source)
        case .form(let form): return checkSources(of: form)
        case .download(let target):
            let path = partialPath(target: target.path, id: transfer.id, storeToken: storeToken)
            if let failure = targetProblem(target) { return .failure(failure) }
            if let token = transfer.spec.resumesFrom, ResumeData.isToken(token) {
                ResumableFiles.take(token, from: resumableFolder, as: path)
            }
            return openPartial(transfer, target: target, path: path, bootID: bootID)
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
        guard descriptor >= 0 else { return .failure(sourceFailure(errno, source.path)) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let failure = sourceFailure(errno, source.path)
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
        path: String,
        bootID: String
    ) -> Result<Opened, TransferFailure> {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { return .failure(targetFailure(errno, target.path)) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let failure = targetFailure(errno, target.path)
            close(descriptor)
            return .failure(failure)
        }
        var identity = FileIdentity(status)
        let offset = transfer.partial?.resumeOffset(fileSize: identity.size, bootID: bootID) ?? 0
        if offset < identity.size {
            // Whatever lies behind the offset is not trusted, or belongs to nothing.
            guard ftruncate(descriptor, off_t(offset)) == 0 else {
                let failure = targetFailure(errno, target.path)
                close(descriptor)
                return .failure(failure)
            }
            identity.size = offset
        }
        return .success(Opened(fileDescriptor: descriptor, path: path, offset: offset, identity: identity))
    }

    private static func targetProblem(_ target: TransferSpec.DownloadTarget) -> TransferFailure? {
        var status = stat()
        guard lstat(target.path, &status) == 0 else { return nil }
        let name = target.path.redactedControls
        let kind = status.st_mode & S_IFMT
        if kind == S_IFDIR { return .init(.targetNotWritable, "\(name) is a directory") }
        if kind != S_IFREG, kind != S_IFLNK { return .init(.targetNotWritable, "\(name) is not a regular file") }
        return target.overwrites ? nil : .init(.targetExists, "\(name) exists already")
    }

    static func sourceFailure(_ code: Int32, _ path: String) -> TransferFailure {
        let name = path.redactedControls
        return switch code {
        case ENOENT, ENOTDIR: .init(.sourceMissing, "\(name) is not there any more")
        case EMFILE, ENFILE, ENOMEM: .init(.daemonInterrupted, "\(name) could not be opened (\(text(code)))")
        default: .init(.sourceUnreadable, "\(name) cannot be read (\(text(code)))")
        }
    }

    static func targetFailure(_ code: Int32, _ path: String) -> TransferFailure {
        let name = path.redactedControls
        return switch code {
        case ENOENT, ENOTDIR: .init(.targetDirectoryMissing, "the directory of \(name) does not exist")
        case ENOSPC, EDQUOT: .init(.diskFull, "the disk is full where \(name) should go")
        case EEXIST: .init(.targetExists, "\(name) exists already")
        default: .init(.targetNotWritable, "\(name) cannot be written (\(text(code)))")
        }
    }

    static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}

extension AttemptFiles {
    /// Deletes a file of ours; one that is not there is no matter.
    package static func delete(_ path: String) {
        unlink(path)
    }

    /// The names of regular files in a folder that were last changed more than so many seconds ago.
    static func oldFiles(in folder: String, olderThan age: Int) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard lstat(folder + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_mtim.tv_sec < time(nil) - age
            else { continue }
            names.append(name)
        }
        return names
    }
}
