// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Default values are left out of the JSON: a hundred thousand specifications are written, kept and read.
extension TransferSpec {
    private enum CodingKeys: String, CodingKey {
        case upload, download, url, method, headers, credentials, owner, label, priority, earliestBegin, statusPolicy
        case unauthorizedPolicy, maximumRetries, maximumAttemptsBeforeFirstAnswer, idempotencyKey, idleTimeout
        case connectTimeout, overallTimeout, rateLimit, certificateAuthorityPath, proxy, completionCommand
        case sessionTask, connectionsPerHost, pinnedKey, asksBeforeBegin, hasHandler, handlesChallengesByDefault
        case resumesFrom
        case resumePartial, sendsLaunchEvents, form, dialect, needs, refusesCookies, connection
        case predecessors, collections, skipsExisting, offersResumption, keptUpload, digest
        case mirrors, notify, keeper, submissionKey
        case isSentOnce = "sentOnce"
        /// Used by the first stores in place of `upload` and `download`.
        case direction
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // Few keys are present: looking for every possible key in the JSON costs more than listing the present ones.
        let present = container.allKeys
        func value<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
            present.contains(key) ? try container.decodeIfPresent(Value.self, forKey: key) : nil
        }
        let direction: Direction =
            if let source: UploadSource = try value(.upload) {
                .upload(source)
            } else if let form: FormBody = try value(.form) {
                .form(form)
            } else if let target: DownloadTarget = try value(.download) {
                .download(target)
            } else {
                try container.decode(Direction.self, forKey: .direction)
            }
        self.init(
            direction: direction,
            url: try container.decode(RequestURL.self, forKey: .url),
            method: try value(.method),
            owner: try container.decode(String.self, forKey: .owner)
        )
        headers = try value(.headers) ?? headers
        credentials = try value(.credentials)
        label = try value(.label)
        priority = try value(.priority) ?? priority
        earliestBegin = try value(.earliestBegin)
        statusPolicy = try value(.statusPolicy) ?? statusPolicy
        unauthorizedPolicy = try value(.unauthorizedPolicy) ?? unauthorizedPolicy
        maximumRetries = try value(.maximumRetries)
        maximumAttemptsBeforeFirstAnswer = try value(.maximumAttemptsBeforeFirstAnswer)
        idempotencyKey = try value(.idempotencyKey)
        idleTimeout = try value(.idleTimeout) ?? idleTimeout
        connectTimeout = try value(.connectTimeout)
        overallTimeout = try value(.overallTimeout) ?? overallTimeout
        rateLimit = try value(.rateLimit)
        certificateAuthorityPath = try value(.certificateAuthorityPath)
        proxy = try value(.proxy) ?? proxy
        completionCommand = try value(.completionCommand)
        sessionTask = try value(.sessionTask)
        connectionsPerHost = try value(.connectionsPerHost)
        pinnedKey = try value(.pinnedKey)
        asksBeforeBegin = try value(.asksBeforeBegin)
        hasHandler = try value(.hasHandler)
        handlesChallengesByDefault = try value(.handlesChallengesByDefault)
        (resumesFrom, resumePartial) = (try value(.resumesFrom), try value(.resumePartial))
        sendsLaunchEvents = try value(.sendsLaunchEvents) ?? sendsLaunchEvents
        dialect = try value(.dialect)
        needs = try value(.needs) ?? needs
        refusesCookies = try value(.refusesCookies)
        connection = try value(.connection)
        predecessors = try value(.predecessors) ?? predecessors
        collections = try value(.collections)
        skipsExisting = try value(.skipsExisting)
        (offersResumption, keptUpload) = (try value(.offersResumption), try value(.keptUpload))
        (digest, mirrors, notify) = (try value(.digest), try value(.mirrors), try value(.notify))
        (keeper, submissionKey, isSentOnce) = (try value(.keeper), try value(.submissionKey), try value(.isSentOnce))
        if decoder.takesNearestValues { clampNumbers() }
    }

    /// Clamps values that a store may hold from before they were checked; `validate` checks all other numbers.
    private mutating func clampNumbers() {
        idleTimeout = min(Durations.nearest(to: idleTimeout), Self.longestTimeout)
        overallTimeout = min(Durations.nearest(to: overallTimeout), Self.longestTimeout)
        connectTimeout = connectTimeout.map { min(Durations.nearest(to: $0), Self.longestTimeout) }
        rateLimit = rateLimit.map { max(1, ByteCounts.nearest(to: $0)) }
        maximumRetries = maximumRetries.map(Counts.nearest)
        maximumAttemptsBeforeFirstAnswer = maximumAttemptsBeforeFirstAnswer.map(Counts.nearest)
        connectionsPerHost = connectionsPerHost.map(Counts.nearest)
        priority = (0...1).contains(priority) ? priority : 0.5
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let usual = TransferSpec(direction: direction, url: url, owner: owner)
        func encode<Value: Encodable & Equatable>(_ value: Value, unless usual: Value, _ key: CodingKeys) throws {
            if value != usual { try container.encode(value, forKey: key) }
        }
        switch direction {
        case .upload(let source): try container.encode(source, forKey: .upload)
        case .form(let form): try container.encode(form, forKey: .form)
        case .download(let target): try container.encode(target, forKey: .download)
        }
        try container.encode(url, forKey: .url)
        try encode(method, unless: usual.method, .method)
        try encode(headers, unless: [], .headers)
        try container.encodeIfPresent(credentials, forKey: .credentials)
        try container.encode(owner, forKey: .owner)
        try container.encodeIfPresent(label, forKey: .label)
        try encode(priority, unless: usual.priority, .priority)
        try container.encodeIfPresent(earliestBegin, forKey: .earliestBegin)
        try encode(statusPolicy, unless: usual.statusPolicy, .statusPolicy)
        try encode(unauthorizedPolicy, unless: usual.unauthorizedPolicy, .unauthorizedPolicy)
        try container.encodeIfPresent(maximumRetries, forKey: .maximumRetries)
        try container.encodeIfPresent(maximumAttemptsBeforeFirstAnswer, forKey: .maximumAttemptsBeforeFirstAnswer)
        try container.encodeIfPresent(idempotencyKey, forKey: .idempotencyKey)
        try encode(idleTimeout, unless: usual.idleTimeout, .idleTimeout)
        try container.encodeIfPresent(connectTimeout, forKey: .connectTimeout)
        try encode(overallTimeout, unless: usual.overallTimeout, .overallTimeout)
        try container.encodeIfPresent(rateLimit, forKey: .rateLimit)
        try container.encodeIfPresent(certificateAuthorityPath, forKey: .certificateAuthorityPath)
        try encode(proxy, unless: usual.proxy, .proxy)
        try container.encodeIfPresent(completionCommand, forKey: .completionCommand)
        try container.encodeIfPresent(sessionTask, forKey: .sessionTask)
        try container.encodeIfPresent(connectionsPerHost, forKey: .connectionsPerHost)
        try container.encodeIfPresent(pinnedKey, forKey: .pinnedKey)
        try container.encodeIfPresent(asksBeforeBegin, forKey: .asksBeforeBegin)
        try container.encodeIfPresent(hasHandler, forKey: .hasHandler)
        try container.encodeIfPresent(handlesChallengesByDefault, forKey: .handlesChallengesByDefault)
        try container.encodeIfPresent(resumesFrom, forKey: .resumesFrom)
        try container.encodeIfPresent(resumePartial, forKey: .resumePartial)
        try encode(sendsLaunchEvents, unless: usual.sendsLaunchEvents, .sendsLaunchEvents)
        try container.encodeIfPresent(dialect, forKey: .dialect)
        try encode(needs, unless: [], .needs)
        try container.encodeIfPresent(refusesCookies, forKey: .refusesCookies)
        try container.encodeIfPresent(connection, forKey: .connection)
        try encode(predecessors, unless: [], .predecessors)
        try container.encodeIfPresent(collections, forKey: .collections)
        try container.encodeIfPresent(skipsExisting, forKey: .skipsExisting)
        try container.encodeIfPresent(offersResumption, forKey: .offersResumption)
        try container.encodeIfPresent(keptUpload, forKey: .keptUpload)
        try container.encodeIfPresent(digest, forKey: .digest)
        try container.encodeIfPresent(mirrors, forKey: .mirrors)
        try container.encodeIfPresent(notify, forKey: .notify)
        try container.encodeIfPresent(keeper, forKey: .keeper)
        try container.encodeIfPresent(submissionKey, forKey: .submissionKey)
        try container.encodeIfPresent(isSentOnce, forKey: .isSentOnce)
    }
}

extension TransferSpec.UploadSource {
    private enum CodingKeys: String, CodingKey { case path, identity, isSnapshot }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        path = try container.decode(String.self, forKey: .path)
        identity = try container.decode(FileIdentity.self, forKey: .identity)
        isSnapshot = try container.decodeIfPresent(Bool.self, forKey: .isSnapshot) ?? false
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path, forKey: .path)
        try container.encode(identity, forKey: .identity)
        if isSnapshot { try container.encode(isSnapshot, forKey: .isSnapshot) }
    }
}

extension TransferSpec.DownloadTarget {
    private enum CodingKeys: String, CodingKey {
        case path, overwrites, checksum, umask, keepsRemoteTime, remoteName
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        path = try container.decode(String.self, forKey: .path)
        overwrites = try container.decodeIfPresent(Bool.self, forKey: .overwrites) ?? false
        checksum = try container.decodeIfPresent(Checksum.self, forKey: .checksum)
        umask = try container.decodeIfPresent(UInt32.self, forKey: .umask)
        keepsRemoteTime = try container.decodeIfPresent(Bool.self, forKey: .keepsRemoteTime)
        remoteName = try container.decodeIfPresent(RemoteName.self, forKey: .remoteName)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path, forKey: .path)
        if overwrites { try container.encode(overwrites, forKey: .overwrites) }
        try container.encodeIfPresent(checksum, forKey: .checksum)
        try container.encodeIfPresent(umask, forKey: .umask)
        try container.encodeIfPresent(keepsRemoteTime, forKey: .keepsRemoteTime)
        try container.encodeIfPresent(remoteName, forKey: .remoteName)
    }
}
