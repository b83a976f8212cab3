// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import Glibc
import OffstageClient
import OffstageCore
import OffstageProtocol

/// What is handed over for a task, worked out when it is resumed.
extension TaskCore {
    /// - Throws: `URLError` for what is wrong with the task, `OffstageError` when there is no daemon.
    func specification(_ draft: TaskDraft, _ state: State) throws -> TransferSpec {
        if let problem = draft.problem { throw problem }
        guard let url = draft.url else { throw URLError(.badURL) }
        try session.checkOpen()
        let app = try session.hub.app()
        var spec = TransferSpec(
            direction: try direction(draft, state, app),
            url: url,
            method: draft.request?.httpMethod,
            owner: app.app
        )
        spec.headers = draft.headers
        spec.label = state.hints.label
        spec.priority = Double(state.hints.priority)
        spec.idleTimeout = draft.idleTimeout
        spec.overallTimeout = session.settings.overallTimeout
        spec.proxy = session.settings.proxy
        spec.sessionTask = key
        spec.connectionsPerHost = session.settings.connectionsPerHost
        let hasDelegate = session.hasDelegate
        if let date = state.hints.earliestBegin {
            spec.earliestBegin = date
            spec.asksBeforeBegin = hasDelegate ? true : nil
        }
        spec.handlesChallengesByDefault = hasDelegate ? nil : true
        if case .resumedDownload(let resume) = draft.source {
            spec.resumesFrom = resume.token
            spec.resumePartial = resume.partial
        }
        return spec
    }

    private func direction(
        _ draft: TaskDraft,
        _ state: State,
        _ app: OpenApp.Reply
    ) throws -> TransferSpec.Direction {
        switch draft.source {
        case .file:
            return .upload(.init(path: draft.path, identity: try Self.identity(draft.path)))
        case .data(let data):
            let path = app.spool + "/" + Self.randomName()
            try Self.spool(data, to: path, mustSync: state.mustSyncBody)
            return .upload(.init(path: path, identity: try Self.identity(path), isSnapshot: true))
        case .download, .resumedDownload:
            return .download(.init(path: "\(app.downloads)/CFNetworkDownload_\(Self.randomName()).tmp"))
        }
    }

    /// The file as it is now, which it must still be when it has been sent.
    private static func identity(_ path: String) throws -> FileIdentity {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw fileError(errno == EACCES ? .noPermissionsToReadFile : .fileDoesNotExist, path)
        }
        if status.st_mode & S_IFMT == S_IFDIR { throw fileError(.fileIsDirectory, path) }
        // Mostly the file is one's own and its mode says enough, which saves a system call.
        let isOwn = status.st_uid == geteuid() && status.st_mode & S_IRUSR != 0
        guard isOwn || access(path, R_OK) == 0 else { throw fileError(.noPermissionsToReadFile, path) }
        return FileIdentity(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        )
    }

    private static func fileError(_ code: URLError.Code, _ path: String) -> URLError {
        URLError(
            code,
            userInfo: [
                NSFilePathErrorKey: path,
                NSLocalizedDescriptionKey: "The file \(path) cannot be uploaded: \(String(cString: strerror(errno))).",
            ]
        )
    }

    /// Writes a body that was given as data; the daemon deletes the file when the task has ended.
    private static func spool(_ data: Data, to path: String, mustSync: Bool) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw fileError(.cannotCreateFile, path) }
        defer { close(descriptor) }
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = fileError(.cannotWriteToFile, path)
                unlink(path)
                throw error
            }
            rest = rest.dropFirst(count)
        }
        if mustSync, fsync(descriptor) != 0 { throw fileError(.cannotWriteToFile, path) }
    }

    /// 16 hexadecimal digits that no other file has.
    static func randomName() -> String {
        let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
