// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

extension TransferSpec {
    /// The specification as JSON, as `encode(to:)` describes it.
    ///
    /// One without rare values is written directly, in a fraction of the time that `JSONEncoder` takes: an app's
    /// `resume()` waits for this.
    ///
    /// - Throws: `EncodingError` for a number that JSON cannot express.
    package func json() throws -> [UInt8] {
        guard hasNothingRare else { return Array(try JSONEncoder().encode(self)) }
        let usual = TransferSpec(direction: direction, url: url, owner: owner)
        var text = JSONObjectText()
        switch direction {
        case .upload(let source): text.add("upload", object: Self.text(of: source))
        case .form: break  // rare
        case .download(let target):
            var object = JSONObjectText()
            object.add("path", target.path)
            if target.overwrites { object.add("overwrites", literal: "true") }
            if let umask = target.umask { object.add("umask", literal: "\(umask)") }
            text.add("download", object: object)
        }
        text.add("url", url.unredacted)
        if method != usual.method { text.add("method", method) }
        if !headers.isEmpty { text.add("headers", headers.lazy.map(\.line)) }
        text.add("owner", owner)
        if let label { text.add("label", label) }
        if priority != usual.priority { text.add("priority", literal: "\(priority)") }
        if let earliestBegin {
            text.add("earliestBegin", literal: "\(earliestBegin.timeIntervalSinceReferenceDate)")
        }
        // Set by the command.
        if statusPolicy == .retryTransientAndFailOnError {
            text.add("statusPolicy", literal: #"{"retryTransientAndFailOnError":{}}"#)
        }
        if let idempotencyKey { text.add("idempotencyKey", idempotencyKey) }
        if idleTimeout != usual.idleTimeout { text.add("idleTimeout", literal: "\(idleTimeout)") }
        if overallTimeout != usual.overallTimeout { text.add("overallTimeout", literal: "\(overallTimeout)") }
        // Set by the command where the environment names a bundle (CURL_CA_BUNDLE), as containers do.
        if let certificateAuthorityPath { text.add("certificateAuthorityPath", certificateAuthorityPath) }
        if let sessionTask {
            var object = JSONObjectText(capacity: 128)
            object.add("session", sessionTask.session)
            object.add("task", literal: "\(sessionTask.task)")
            text.add("sessionTask", object: object)
        }
        if let connectionsPerHost { text.add("connectionsPerHost", literal: "\(connectionsPerHost)") }
        // Set by a session without a delegate.
        if let handlesChallengesByDefault {
            text.add("handlesChallengesByDefault", literal: handlesChallengesByDefault ? "true" : "false")
        }
        if !needs.isEmpty { text.add("needs", needs.names) }
        if let refusesCookies { text.add("refusesCookies", literal: refusesCookies ? "true" : "false") }
        if !sendsLaunchEvents { text.add("sendsLaunchEvents", literal: "false") }
        if let notify { text.add("notify", literal: notify ? "true" : "false") }
        return text.finish()
    }

    private static func text(of source: UploadSource) -> JSONObjectText {
        var object = JSONObjectText(capacity: 256)
        object.add("path", source.path)
        object.add("identity", source.identity)
        if source.isSnapshot { object.add("isSnapshot", literal: "true") }
        return object
    }

    /// Whether `json` writes every value: any that is not named here, or is not a number in JSON, is rare.
    private var hasNothingRare: Bool {
        guard priority.isFinite, idleTimeout.isFinite, overallTimeout.isFinite,
            earliestBegin?.timeIntervalSinceReferenceDate.isFinite != false
        else { return false }
        switch direction {
        case .upload: break
        case .form: return false
        case .download(let target):
            guard target.checksum == nil, target.keepsRemoteTime == nil, target.remoteName == nil else { return false }
        }
        var plain = TransferSpec(direction: direction, url: url, method: method, owner: owner)
        plain.headers = headers
        plain.label = label
        plain.priority = priority
        plain.earliestBegin = earliestBegin
        plain.statusPolicy = statusPolicy
        plain.idempotencyKey = idempotencyKey
        plain.idleTimeout = idleTimeout
        plain.overallTimeout = overallTimeout
        plain.certificateAuthorityPath = certificateAuthorityPath
        plain.sessionTask = sessionTask
        plain.connectionsPerHost = connectionsPerHost
        plain.handlesChallengesByDefault = handlesChallengesByDefault
        plain.needs = needs
        plain.refusesCookies = refusesCookies
        plain.sendsLaunchEvents = sendsLaunchEvents
        plain.notify = notify
        return plain == self
    }
}
