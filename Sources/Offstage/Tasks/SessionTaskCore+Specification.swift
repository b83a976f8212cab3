// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Foundation
import FoundationNetworking
import Glibc
import OffstageClient
import OffstageCore
import OffstageProtocol

/// The specification to hand over for a task, determined when the task is resumed.
extension SessionTaskCore {
    /// - Throws: `URLError` if something is wrong with the task, `OffstageError` if there is no daemon.
    func specification(_ draft: SessionTaskDraft, _ state: State) throws -> TransferSpec {
        if let problem = draft.problem { throw problem }
        guard let url = draft.url else { throw URLError(.badURL) }
        try session.checkOpen()
        let app = try session.hub.app()
        var spec = TransferSpec(
            direction: try direction(draft, app),
            url: url,
            method: draft.method,
            owner: app.app
        )
        spec.headers = draft.headers
        spec.setContentTypeOfForm()
        spec.dialect = draft.dialect
        // Both are repeated after a lost answer: the key lets the server detect the repetition.
        if draft.dialect == nil, ["POST", "PATCH"].contains(draft.method) {
            spec.idempotencyKey = RandomKey.make()
        }
        spec.label = state.hints.label
        spec.priority = Double(state.hints.priority)
        let usual = Self.timeout(session.settings.idleTimeout, else: spec.idleTimeout)
        spec.idleTimeout = Self.timeout(draft.idleTimeout, else: usual)
        spec.overallTimeout = Self.timeout(session.settings.overallTimeout, else: spec.overallTimeout)
        spec.proxy = session.settings.proxy
        spec.sessionTask = key
        spec.connectionsPerHost = session.settings.connectionsPerHost
        spec.needs = draft.request.map(session.settings.needs) ?? session.settings.needs
        if draft.request.map(session.settings.refusesCookies) == true { spec.refusesCookies = true }
        spec.sendsLaunchEvents = session.settings.sendsLaunchEvents
        let hasDelegate = session.hasDelegate
        if let date = state.hints.earliestBegin {
            spec.earliestBegin = Self.reachable(date)
            spec.asksBeforeBegin = hasDelegate ? true : nil
        }
        spec.hasHandler = state.callbacks.handler == nil ? nil : true
        spec.handlesChallengesByDefault = hasDelegate ? nil : true
        if case .resumedDownload(let resume) = draft.source {
            spec.resumesFrom = resume.token
            spec.resumePartial = resume.partial
        }
        if draft.dialect == nil, draft.isUpload { spec.offersResumption = true }
        if case .resumedUpload(let resume) = draft.source { spec.keptUpload = resume.kept }
        // The daemon would reject it, perhaps when there is no receiver for the error.
        do throws(RequestError) { try spec.validate() } catch { throw SessionTaskErrors.invalid(error) }
        switch draft.source {
        case .data(let data):
            let identity = try Self.spool(data, to: spec.path, mustSync: state.handOver.mustSyncBody)
            spec.direction = .upload(.init(path: spec.path, identity: identity, isSnapshot: true))
        case .form(let form):
            spec.direction = .form(try Self.spoolData(of: form, as: spec, mustSync: state.handOver.mustSyncBody))
        case .file, .download, .resumedDownload, .resumedUpload: break
        }
        return spec
    }

    /// The app's umask at its first download: reading it takes longer than the rest of a hand-over.
    private static let umask = offstage_umask()

    /// Replaces a limit that no transfer could meet with the usual one, and an infinite limit with the longest.
    private static func timeout(_ seconds: Double, else usual: Double) -> Double {
        seconds > 0 ? min(seconds, TransferSpec.longestTimeout) : usual
    }

    /// The nearest date that a transfer can wait for.
    private static func reachable(_ date: Date) -> Date {
        let seconds = min(max(date.timeIntervalSince1970, 0), TransferSpec.latestBegin)
        return Date(timeIntervalSince1970: seconds)
    }

    /// The location of the bytes; the file for a body given as data does not exist yet.
    private func direction(_ draft: SessionTaskDraft, _ app: OpenApp.Reply) throws -> TransferSpec.Direction {
        switch draft.source {
        case .file, .resumedUpload:
            return .upload(.init(path: draft.path, identity: try Self.identity(draft.path)))
        case .data:
            let identity = FileIdentity(device: 0, inode: 0, size: 0, modified: 0)
            return .upload(.init(path: app.spool + Self.randomName(), identity: identity, isSnapshot: true))
        case .form(let form):
            return .form(try form.body(identity: Self.identity) { app.spool + Self.randomName() })
        case .download, .resumedDownload:
            let path = "\(app.downloads)/CFNetworkDownload_\(Self.randomName()).tmp"
            return .download(.init(path: path, umask: Self.umask))
        }
    }

    /// The file's current identity; it must still be the same when the file has been sent.
    private static func identity(_ path: String) throws -> FileIdentity {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw fileError(errno == EACCES ? .noPermissionsToReadFile : .fileDoesNotExist, path)
        }
        if status.st_mode & S_IFMT == S_IFDIR { throw fileError(.fileIsDirectory, path) }
        // Usually the user owns the file and its mode suffices, which saves a system call.
        let isOwn = status.st_uid == geteuid() && status.st_mode & S_IRUSR != 0
        guard isOwn || access(path, R_OK) == 0 else { throw fileError(.noPermissionsToReadFile, path) }
        return FileIdentity(status)
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

    /// Writes the parts of a form that were given as data to the files that the specification names for them.
    ///
    /// - Throws: `URLError` if a part cannot be written; then none of the files exists.
    private static func spoolData(
        of form: MultipartForm,
        as spec: TransferSpec,
        mustSync: Bool
    ) throws -> FormBody {
        guard case .form(var body) = spec.direction else { throw URLError(.unknown) }
        var written: [String] = []
        do {
            for (index, part) in form.parts.enumerated() {
                guard case .data(let data) = part.content, case .file(var source) = body.parts[index].content else {
                    continue
                }
                source.identity = try spool(data, to: source.path, mustSync: mustSync)
                written.append(source.path)
                body.parts[index].content = .file(source)
            }
            return body
        } catch {
            for path in written { unlink(path) }
            throw error
        }
    }

    /// Writes a body that was given as data; the daemon deletes the file when the task has ended.
    ///
    /// - Throws: `URLError` if the body cannot be written; then the file does not exist.
    private static func spool(_ data: Data, to path: String, mustSync: Bool) throws -> FileIdentity {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw fileError(.cannotCreateFile, path) }
        defer { close(descriptor) }
        var status = stat()
        // Syncs the name as well as the content: a task confirmed by `submit` survives a power loss.
        guard write(data, to: descriptor),
            !mustSync || fsync(descriptor) == 0 && offstage_sync_folder_of(path) == 0,
            fstat(descriptor, &status) == 0
        else {
            let error = fileError(.cannotWriteToFile, path)
            unlink(path)
            throw error
        }
        return FileIdentity(status)
    }

    private static func write(_ data: Data, to descriptor: Int32) -> Bool {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// 16 random hexadecimal digits, for a unique file name.
    static func randomName() -> String {
        let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension FileIdentity {
    fileprivate init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: FileIdentity.nanoseconds(seconds: status.st_mtim.tv_sec, and: status.st_mtim.tv_nsec)
        )
    }
}
