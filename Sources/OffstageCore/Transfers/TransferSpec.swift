// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The request for a transfer: everything that its owner decided and that does not change on its own.
package struct TransferSpec: Sendable, Equatable, Codable {
    /// The direction of the transfer, and its file on this machine.
    package enum Direction: Sendable, Equatable, Codable {
        case upload(UploadSource)
        /// Fields and files in one `multipart/form-data` body.
        case form(FormBody)
        case download(DownloadTarget)
    }

    /// A file to send.
    package struct UploadSource: Sendable, Hashable, Codable {
        /// Absolute path.
        package var path: String
        /// The file as it was at the hand-over; it must still be the same after it was sent.
        package var identity: FileIdentity
        /// Whether the daemon sends a private copy, made when the transfer was handed over.
        package var isSnapshot: Bool

        package init(path: String, identity: FileIdentity, isSnapshot: Bool = false) {
            self.path = path
            self.identity = identity
            self.isSnapshot = isSnapshot
        }
    }

    /// Where a download goes.
    package struct DownloadTarget: Sendable, Equatable, Codable {
        /// The state of a file name that the server gives.
        package enum RemoteName: String, Sendable, Codable {
            /// No answer has come yet: the path ends with a provisional name.
            case wanted
            /// The path's name is the one that the latest answer gave, or left unchanged.
            case given
        }

        /// Absolute path.
        package var path: String
        /// Whether an existing file may be replaced.
        package var overwrites: Bool
        package var checksum: Checksum?
        /// The permissions that a new file does not get, as at the hand-over; nil for the daemon's umask.
        package var umask: UInt32?
        /// Whether the file gets the server's modification time (`--remote-time`); nil for no.
        package var keepsRemoteTime: Bool?
        /// Whether the answer's `Content-Disposition` names the file (`--remote-header-name`); nil for no.
        package var remoteName: RemoteName?

        package init(path: String, overwrites: Bool = false, checksum: Checksum? = nil, umask: UInt32? = nil) {
            self.path = path
            self.overwrites = overwrites
            self.checksum = checksum
            self.umask = umask
        }
    }

    /// A name and password for HTTP authentication (curl's `--user`).
    package struct UserPassword: Sendable, Equatable, Codable {
        package var user: String
        package var password: String
        /// Whether digest authentication was asked for, which never sends the password itself; nil for no.
        package var isForDigest: Bool?

        package init(user: String, password: String, isForDigest: Bool? = nil) {
            self.user = user
            self.password = password
            self.isForDigest = isForDigest
        }
    }

    /// What to do when a complete HTTP response has a status that may be temporary.
    package enum StatusPolicy: Sendable, Equatable, Codable {
        /// Every complete response ends the transfer as answered (Apple's background sessions).
        case everyResponseIsFinal
        /// 408, 429 and 5xx are tried again; other statuses from 300 are a failure (the command's default).
        case retryTransientAndFailOnError
    }

    /// What to do with a 401.
    package enum UnauthorizedPolicy: Sendable, Equatable, Codable {
        case finish
        /// Wait until `offstage header set` or the credential helper provides new headers.
        case waitForCredentials
    }

    /// A command to run when the transfer has ended.
    package struct CompletionCommand: Sendable, Equatable, Codable {
        /// Passed to `/bin/sh -c`.
        package var command: String
        package var workingDirectory: String

        package init(command: String, workingDirectory: String) {
            self.command = command
            self.workingDirectory = workingDirectory
        }
    }

    package var direction: Direction
    package var url: RequestURL
    /// The HTTP method; by default PUT for an upload and GET for a download.
    package var method: String
    package var headers: [HeaderField] = []
    package var credentials: UserPassword?
    /// The owner whose turns the transfer uses: `command` for the command, the bundle identifier for an app.
    package var owner: String
    /// The owner's name for the transfer (Apple's `taskDescription`).
    package var label: String?
    /// 0 to 1, Apple's scale: 0.5 is ordinary.
    package var priority: Double = 0.5
    /// Does not start before this date.
    package var earliestBegin: Date?
    /// The transfers that must complete before this one starts (`--after`); empty once they have, or once a person no
    /// longer wants to wait for them.
    package var predecessors: [TransferID] = []
    package var statusPolicy: StatusPolicy = .everyResponseIsFinal
    package var unauthorizedPolicy: UnauthorizedPolicy = .finish
    /// Retries after a failure that may be temporary; nil for as many as the overall timeout allows (curl's `--retry`).
    package var maximumRetries: Int?
    /// Attempts at a server that has never answered before the URL counts as a mistake; nil for no limit.
    package var maximumAttemptsBeforeFirstAnswer: Int?
    /// The value of an `Idempotency-Key` header, the same in every attempt; nil for no header.
    package var idempotencyKey: String?
    /// Seconds without a byte after which an attempt is abandoned and retried.
    package var idleTimeout: Double = 60
    /// Seconds to establish a connection; nil for the idle timeout.
    package var connectTimeout: Double?
    /// Seconds after which the transfer ends as timed out, all attempts together.
    package var overallTimeout: Double = 604_800
    /// Bytes a second; nil if the transfer has no limit of its own.
    package var rateLimit: Int64?
    /// A PEM file of certificate authorities, in place of the system's.
    package var certificateAuthorityPath: String?
    package var proxy: ProxyEnvironment = ProxyEnvironment()
    /// Nil for the defaults.
    package var connection: ConnectionOptions?
    package var completionCommand: CompletionCommand?
    /// Whether a person is notified on the desktop when the transfer ends, fails or needs one; nil for the settings'
    /// value.
    package var notify: Bool?
    /// The session task that the transfer carries out; nil for the command's transfers.
    package var sessionTask: SessionTaskKey?
    /// Transfers of one session with one host at a time (`httpMaximumConnectionsPerHost`); nil for the settings' limit.
    package var connectionsPerHost: Int?
    /// The conditions, in addition to a route to its server, under which the transfer may move.
    package var needs: TransferNeeds = []
    /// Whether a session's cookies are not handled: a cookie that comes with a redirect is then not sent with the next
    /// request, either; nil for no.
    package var refusesCookies: Bool?
    /// The key that the server must have, in place of an accepted certificate: `sha256//` and Base64, as curl writes
    /// it.
    package var pinnedKey: String?
    /// Whether the app decides about the transfer once `earliestBegin` has come.
    package var asksBeforeBegin: Bool?
    /// Whether the app handles the task by a completion handler alone, in the process that made it; nil for no.
    package var hasHandler: Bool?
    /// Whether a challenge is answered by default, without asking the app.
    package var handlesChallengesByDefault: Bool?
    /// Whether the app is resumed or launched for the end of the session's last task, and for the task's questions
    /// (`sessionSendsLaunchEvents`).
    package var sendsLaunchEvents: Bool = true
    /// The kept beginning of a download that this one continues: a name in `OffstagePaths.resumable`.
    package var resumesFrom: String?
    /// The facts about that beginning.
    package var resumePartial: PartialDownload?
    /// The number of folders at the end of the URL's path that are made if a WebDAV server lacks them; nil for none.
    package var collections: Int?
    /// Whether an upload is skipped if its server reports that something is at the URL; nil for no.
    package var skipsExisting: Bool?
    /// The addresses of a download's file, and the state of each; nil for the URL alone.
    package var mirrors: MirrorList?
    /// The file's SHA-256 for the receipt; nil if not requested.
    package var digest: RecordedDigest?
    /// How an upload is sent to its server; nil for one plain request.
    package var dialect: DialectSpec?
    /// Whether a plain upload tells its server that it can be resumed, and is resumed if the server states where; nil
    /// for no.
    package var offersResumption: Bool?
    /// The memory of another upload of the file about the part that the server keeps, for this one to continue. With a
    /// keeper, the memory may be a dialect's, and from another machine: its file then counts as this one if size and
    /// modification time are the same.
    package var keptUpload: Base64Bytes?
    /// Whether no second request may be sent once one may have arrived, unless the server states how much it has; nil
    /// for no. Only for transfers with a keeper: for others, a start is not on record before the request is sent.
    package var isSentOnce: Bool?
    /// The keeper of an upload's memory outside of this machine; nil for none.
    package var keeper: TransferKeeper?
    /// The owner's name for the hand-over: if a transfer of that name is on record, no second one is created. Nil for
    /// none.
    package var submissionKey: String?

    package init(direction: Direction, url: RequestURL, method: String? = nil, owner: String) {
        self.direction = direction
        self.url = url
        self.owner = owner
        switch direction {
        case .upload: self.method = method ?? "PUT"
        case .form: self.method = method ?? "POST"
        case .download: self.method = method ?? "GET"
        }
    }

    /// In seconds; longer timeouts would not fit the timers of every system.
    package static let longestTimeout: Double = 100 * 365 * 86_400
    /// Seconds since 1970: the latest begin date that may be requested.
    package static let latestBegin: Double = 1e11 - 1
    /// The most transfers that a transfer may wait for.
    package static let mostPredecessors = 1000

    /// Checks a specification that a client sent: the daemon does not trust clients to have done so.
    package func validate() throws(RequestError) {
        try checkSize()
        for header in headers { try header.validate() }
        guard !method.isEmpty, method.utf8.count <= 32,
            method.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || $0 == UInt8(ascii: "-") })
        else { throw .invalidMethod(method) }
        switch direction {
        case .upload(let source): try source.validate()
        case .form(let form):
            try form.validate()
            guard hasContentTypeOfForm else {
                throw .invalidValue("The Content-Type of a form must be its own, which names its boundary")
            }
        case .download(let target):
            try Self.validate(path: target.path)
            guard target.umask.map({ $0 <= 0o777 }) ?? true else {
                throw .invalidValue("A umask is from 0 to 0777")
            }
        }
        try proxy.validate(forScheme: url.scheme)
        try connection?.validate()
        let isOwners = dialect.map { DialectTable.sendsOwnersRequests($0.name) } ?? true
        guard connection?.isOfRequests != true || isOwners else {
            throw .invalidValue("An upload to an account cannot set options of its connections")
        }
        try validateTiming()
        try validateMirrors()
        if let collections {
            guard (1...Limits.pathBytes).contains(collections), method == "PUT", dialect == nil, isUpload else {
                throw .invalidValue(
                    "Folders are created only for files sent with PUT below a URL, and only up to a limit"
                )
            }
        }
        guard skipsExisting != true || method == "PUT" && dialect == nil && isUpload else {
            throw .invalidValue("Only files sent with PUT to a URL can be left out if they exist")
        }
        guard pinnedKey.map(PinnedKey.isSound) ?? true else {
            throw .invalidValue("A pinned key must be the SHA-256 of a public key: sha256// and Base64")
        }
        guard resumesFrom.map(ResumeData.isToken) ?? true else {
            throw .invalidValue("The download's resume data is not from this system")
        }
        try validateKeeping()
        if let idempotencyKey {
            try HeaderField(name: "Idempotency-Key", value: idempotencyKey).validate()
        }
    }

    /// Checks the keeper, and the name under which the transfer is on record.
    private func validateKeeping() throws(RequestError) {
        if let keeper {
            try keeper.validate()
            guard isUpload, sessionTask == nil else {
                throw .invalidValue("A fleet has files sent: no downloads, and no tasks of apps")
            }
        }
        guard submissionKey.map({ (1...Limits.submissionKeyBytes).contains($0.utf8.count) }) ?? true else {
            throw .invalidValue("A submission key has 1 to \(Limits.submissionKeyBytes) bytes")
        }
    }

    /// The name under which the hand-over is on record; nil for none.
    package var keyOnRecord: String? { submissionKey ?? keeper?.key }

    /// Checks when the transfer may run, how fast, and for how long it is tried.
    private func validateTiming() throws(RequestError) {
        guard (0...1).contains(priority) else { throw .invalidValue("The priority must be between 0 and 1") }
        guard idleTimeout > 0, overallTimeout > 0, connectTimeout.map({ $0 > 0 }) ?? true else {
            throw .invalidValue("A timeout must be longer than 0 seconds")
        }
        guard max(idleTimeout, overallTimeout, connectTimeout ?? 0) <= Self.longestTimeout else {
            throw .invalidValue("A timeout must not be longer than 100 years")
        }
        guard earliestBegin.map({ abs($0.timeIntervalSince1970) <= Self.latestBegin }) ?? true else {
            throw .invalidValue("The begin date must be before the year 5000")
        }
        guard predecessors.count <= Self.mostPredecessors, Set(predecessors).count == predecessors.count,
            predecessors.allSatisfy({ $0.rawValue > 0 })
        else {
            throw .invalidValue("A transfer may wait for up to \(Self.mostPredecessors) others, each named once")
        }
        guard rateLimit.map({ $0 > 0 }) ?? true else {
            throw .invalidValue("A rate limit must be above 0 bytes a second")
        }
        guard maximumRetries.map({ $0 >= 0 }) ?? true else {
            throw .invalidValue("The number of retries cannot be negative")
        }
    }

    /// Whether the app must still decide before the first attempt.
    package var mustAskToBegin: Bool { earliestBegin != nil && asksBeforeBegin == true }

    static func validate(path: String) throws(RequestError) {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw .invalidValue("'\(path.redactedControls)' is not an absolute path")
        }
    }

    /// The file on this machine; for a form the first one, or empty if it has none.
    package var path: String {
        switch direction {
        case .upload(let source): source.path
        case .form(let form): form.sources.first?.path ?? ""
        case .download(let target): target.path
        }
    }

    /// Other files that every request reads: those with authorities, with a certificate and its key, and with
    /// passwords.
    package var connectionPaths: [String] {
        [certificateAuthorityPath, connection?.certificatePath, connection?.keyPath, connection?.netrcPath]
            .compactMap(\.self)
    }

    /// All files on this machine: those that an upload sends, or the one that a download makes.
    package var paths: [String] {
        if case .download(let target) = direction { [target.path] } else { sources.map(\.path) }
    }

    package var isUpload: Bool {
        if case .download = direction { false } else { true }
    }

    /// The files that an upload sends.
    package var sources: [UploadSource] {
        switch direction {
        case .upload(let source): [source]
        case .form(let form): form.sources
        case .download: []
        }
    }

    /// The body that one plain request of an upload would send; nil for a download.
    package var body: RequestBody? {
        switch direction {
        case .upload(let source): RequestBody(source)
        case .form(let form): form.body
        case .download: nil
        }
    }

    /// Whether the owner requests a range: the response is then the answer, and no part of it is requested again.
    package var hasOwnRange: Bool { ownRange != nil }

    /// The range that the owner requests, as in the field `Range`; nil if there is none.
    package var ownRange: String? {
        guard case .download = direction else { return nil }
        return headers["Range"]
    }

    /// Whether every failed attempt is continued where it stopped, and not at byte 0.
    package var goesOnInTheMiddle: Bool { !isUpload || dialect != nil }

    /// Gives a form its own `Content-Type`, whatever the headers say: any other would not name the boundary, and no
    /// receiver could read the body. Has no effect on anything but a form.
    package mutating func setContentTypeOfForm() {
        guard case .form(let form) = direction else { return }
        headers.removeAll { $0.name.caseInsensitiveEquals("Content-Type") }
        headers.append(HeaderField(name: "Content-Type", value: form.contentType))
    }

    /// Whether a form is sent with its own `Content-Type` and no other.
    private var hasContentTypeOfForm: Bool {
        guard case .form(let form) = direction else { return true }
        return headers.filter { $0.name.caseInsensitiveEquals("Content-Type") }.map(\.value) == [form.contentType]
    }

    /// Whether a cookie that comes with a redirect is sent with the later requests of its attempt, as in any session of
    /// URLSession. The command behaves like `curl` without a cookie jar.
    package var takesCookies: Bool { sessionTask != nil && refusesCookies != true && dialect == nil }

    /// Where an upload goes, for people, without secrets.
    package var destination: String { dialect?.destination ?? url.description }
}

extension TransferSpec.UploadSource {
    func validate() throws(RequestError) { try TransferSpec.validate(path: path) }
}
