// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A specification without rare values, whose JSON is written directly, in a fraction of the time `JSONEncoder` takes:
/// an app's `resume()` waits for it.
///
/// The JSON has the members that `TransferSpec.encode(to:)` writes, and no others.
struct PlainSpecification {
    private let spec: TransferSpec

    /// Nil for a specification with a value that `json` does not write: any value that is not named here, or that is
    /// not a number in JSON, counts as rare.
    init?(_ spec: TransferSpec) {
        guard spec.priority.isFinite, spec.idleTimeout.isFinite, spec.overallTimeout.isFinite,
            spec.earliestBegin?.timeIntervalSinceReferenceDate.isFinite != false
        else { return nil }
        switch spec.direction {
        case .upload: break
        case .form: return nil
        case .download(let target):
            guard target.checksum == nil, target.keepsRemoteTime == nil, target.remoteName == nil else { return nil }
        }
        var plain = TransferSpec(direction: spec.direction, url: spec.url, method: spec.method, owner: spec.owner)
        plain.headers = spec.headers
        plain.label = spec.label
        plain.priority = spec.priority
        plain.earliestBegin = spec.earliestBegin
        plain.statusPolicy = spec.statusPolicy
        plain.idempotencyKey = spec.idempotencyKey
        plain.idleTimeout = spec.idleTimeout
        plain.overallTimeout = spec.overallTimeout
        plain.certificateAuthorityPath = spec.certificateAuthorityPath
        plain.sessionTask = spec.sessionTask
        plain.connectionsPerHost = spec.connectionsPerHost
        plain.handlesChallengesByDefault = spec.handlesChallengesByDefault
        plain.needs = spec.needs
        plain.refusesCookies = spec.refusesCookies
        plain.sendsLaunchEvents = spec.sendsLaunchEvents
        plain.notify = spec.notify
        plain.collections = spec.collections
        plain.skipsExisting = spec.skipsExisting
        plain.offersResumption = spec.offersResumption
        plain.hasHandler = spec.hasHandler
        plain.asksBeforeBegin = spec.asksBeforeBegin
        guard plain == spec else { return nil }
        self.spec = plain
    }

    /// The specification as JSON.
    func json() -> [UInt8] {
        let usual = TransferSpec(direction: spec.direction, url: spec.url, owner: spec.owner)
        var text = JSONObjectText()
        switch spec.direction {
        case .upload(let source): text.add("upload", object: Self.text(of: source))
        case .form: break  // rare
        case .download(let target):
            var object = JSONObjectText()
            object.add("path", target.path)
            if target.overwrites { object.add("overwrites", literal: "true") }
            if let umask = target.umask { object.add("umask", literal: "\(umask)") }
            text.add("download", object: object)
        }
        text.add("url", spec.url.unredacted)
        if spec.method != usual.method { text.add("method", spec.method) }
        if !spec.headers.isEmpty { text.add("headers", spec.headers.lazy.map(\.line)) }
        text.add("owner", spec.owner)
        if let label = spec.label { text.add("label", label) }
        if spec.priority != usual.priority { text.add("priority", literal: "\(spec.priority)") }
        if let date = spec.earliestBegin {
            text.add("earliestBegin", literal: "\(date.timeIntervalSinceReferenceDate)")
        }
        // Set by the command.
        if spec.statusPolicy == .retryTransientAndFailOnError {
            text.add("statusPolicy", literal: #"{"retryTransientAndFailOnError":{}}"#)
        }
        if let key = spec.idempotencyKey { text.add("idempotencyKey", key) }
        if spec.idleTimeout != usual.idleTimeout { text.add("idleTimeout", literal: "\(spec.idleTimeout)") }
        if spec.overallTimeout != usual.overallTimeout { text.add("overallTimeout", literal: "\(spec.overallTimeout)") }
        // Set by the command where the environment names a bundle (CURL_CA_BUNDLE), as containers do.
        if let path = spec.certificateAuthorityPath { text.add("certificateAuthorityPath", path) }
        if let task = spec.sessionTask {
            var object = JSONObjectText(capacity: 128)
            object.add("session", task.session)
            object.add("task", literal: "\(task.task)")
            text.add("sessionTask", object: object)
        }
        if let most = spec.connectionsPerHost { text.add("connectionsPerHost", literal: "\(most)") }
        if let asks = spec.asksBeforeBegin { text.add("asksBeforeBegin", literal: asks ? "true" : "false") }
        if let has = spec.hasHandler { text.add("hasHandler", literal: has ? "true" : "false") }
        // Set by a session without a delegate.
        if let byDefault = spec.handlesChallengesByDefault {
            text.add("handlesChallengesByDefault", literal: byDefault ? "true" : "false")
        }
        if !spec.needs.isEmpty { text.add("needs", spec.needs.names) }
        if let refuses = spec.refusesCookies { text.add("refusesCookies", literal: refuses ? "true" : "false") }
        if !spec.sendsLaunchEvents { text.add("sendsLaunchEvents", literal: "false") }
        if let notify = spec.notify { text.add("notify", literal: notify ? "true" : "false") }
        // Set by the command for most uploads.
        if let folders = spec.collections { text.add("collections", literal: "\(folders)") }
        if let skips = spec.skipsExisting { text.add("skipsExisting", literal: skips ? "true" : "false") }
        // Set for every plain upload of a session or of the command.
        if let offers = spec.offersResumption { text.add("offersResumption", literal: offers ? "true" : "false") }
        return text.finish()
    }

    private static func text(of source: TransferSpec.UploadSource) -> JSONObjectText {
        var object = JSONObjectText(capacity: 256)
        object.add("path", source.path)
        object.add("identity", source.identity)
        if source.isSnapshot { object.add("isSnapshot", literal: "true") }
        return object
    }
}
