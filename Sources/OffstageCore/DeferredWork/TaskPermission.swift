// SPDX-License-Identifier: Apache-2.0

/// Whether an app's request may be accepted: Apple's rules, applied to the app's `Info.plist`.
package struct TaskPermission: Sendable {
    /// Why a request is not accepted.
    package struct Refusal: Sendable, Hashable {
        /// `BGTaskScheduler.Error.Code`: 1 unavailable, 2 too many pending, 3 not permitted, 4 not to be run immediately.
        package var code: Int
        /// For a person: the identifier, the rule, and the remedy.
        package var sentence: String

        package init(code: Int, sentence: String) {
            self.code = code
            self.sentence = sentence
        }
    }

    /// The parts of a request that decide whether it may be accepted.
    package struct Question: Sendable, Hashable {
        package var identifier: String
        package var kind: TaskRequest.Kind
        /// For continued processing: refuse rather than queue it if it cannot run at once (`SubmissionStrategy.fail`).
        package var failsUnlessImmediate: Bool
        /// For continued processing: `Resources.gpu`.
        package var requiresGPU: Bool
        /// Whether it is for `application(_:performFetchWithCompletionHandler:)`.
        package var isFetch: Bool

        package init(
            identifier: String,
            kind: TaskRequest.Kind,
            failsUnlessImmediate: Bool = false,
            requiresGPU: Bool = false,
            isFetch: Bool = false
        ) {
            self.isFetch = isFetch
            self.identifier = identifier
            self.kind = kind
            self.failsUnlessImmediate = failsUnlessImmediate
            self.requiresGPU = requiresGPU
        }
    }

    /// `AppIdentity`.
    package var app: String
    /// `BGTaskSchedulerPermittedIdentifiers`.
    package var permittedIdentifiers: [String]
    /// `UIBackgroundModes`.
    package var backgroundModes: [String]
    package var policy: TaskPolicy

    package init(app: String, permittedIdentifiers: [String], backgroundModes: [String], policy: TaskPolicy) {
        self.app = app
        self.permittedIdentifiers = permittedIdentifiers
        self.backgroundModes = backgroundModes
        self.policy = policy
    }

    /// - Parameters:
    ///   - question: the request.
    ///   - pending: the number of pending requests that count against the same limit, except a request that this one
    ///     would replace: `TaskSchedule.pendingCount(app:kinds:)` with `Kind.sharingLimit`.
    ///   - isFront: whether the app is inactive or active.
    ///   - canRunNow: whether a continued task could be started at once.
    /// - Returns: nil if it may be accepted.
    package func refusal(of question: Question, pending: Int, isFront: Bool, canRunNow: Bool = true) -> Refusal? {
        let identifier = question.identifier.redactedControls
        if let problem = undeclared(question, identifier) { return Refusal(code: 3, sentence: problem) }
        if question.kind == .refresh, !policy.allowsRefresh(app) {
            return Refusal(
                code: 1,
                sentence: "\(identifier) was not accepted: background refresh is off for \(app.redactedControls);"
                    + " switch it on in the settings."
            )
        }
        let limit = policy.limit(for: question.kind)
        guard pending < limit else {
            return Refusal(
                code: 2,
                sentence: "\(identifier) was not accepted: \(pending) \(question.kind.noun)"
                    + " request\(pending == 1 ? " is" : "s are") pending, the limit is \(limit); wait until one has"
                    + " run, or cancel one."
            )
        }
        guard question.kind == .continued else { return nil }
        guard isFront else {
            return Refusal(
                code: 4,
                sentence:
                    "\(identifier) was not accepted: a continued processing request must be submitted while its app"
                    + " is in the foreground; submit it when the person asks for the work."
            )
        }
        guard !question.failsUnlessImmediate || canRunNow else {
            return Refusal(
                code: 4,
                sentence: "\(identifier) was not accepted: it cannot run at once, and its strategy is fail; submit it"
                    + " again later, or with the strategy queue."
            )
        }
        return nil
    }

    /// Whether a handler may be registered for an identifier: it, or a wildcard that it matches, is permitted.
    package static func isRegistrable(_ identifier: String, permitted: [String]) -> Bool {
        permitted.contains { $0 == identifier || matches(identifier, wildcard: $0) }
    }

    /// The missing entry of `Info.plist`, or missing hardware, as a sentence; nil if nothing is missing.
    private func undeclared(_ question: Question, _ identifier: String) -> String? {
        if question.isFetch, !permittedIdentifiers.isEmpty {
            return
                "\(identifier) was not accepted: an app whose Info.plist has BGTaskSchedulerPermittedIdentifiers is not called"
                + " to fetch, as on a phone; submit a BGAppRefreshTaskRequest."
        }
        let isPermitted =
            question.kind == .continued
            ? Self.isRegistrable(question.identifier, permitted: permittedIdentifiers)
            : permittedIdentifiers.contains(question.identifier)
        guard isPermitted || question.isFetch else {
            let hint = question.kind == .continued ? " (or a prefix of it that ends in '.*')" : ""
            return "\(identifier) was not accepted: it is not permitted; add it\(hint) to"
                + " BGTaskSchedulerPermittedIdentifiers in the Info.plist of \(app.redactedControls)."
        }
        if let mode = question.kind.backgroundMode, !backgroundModes.contains(mode) {
            return
                "\(identifier) was not accepted: a \(question.kind.noun) request needs the background mode '\(mode)';"
                + " add it to UIBackgroundModes in the Info.plist of \(app.redactedControls)."
        }
        guard !question.requiresGPU else {
            return "\(identifier) was not accepted: it requires the GPU, which no app may use in the background here;"
                + " leave .gpu out of requiredResources."
        }
        return nil
    }

    /// `com.example.export.*` matches any longer identifier that begins with `com.example.export.`.
    private static func matches(_ identifier: String, wildcard: String) -> Bool {
        guard wildcard.hasSuffix(".*") else { return false }
        let prefix = wildcard.dropLast()
        return identifier.hasPrefix(prefix) && identifier.utf8.count > prefix.utf8.count
    }
}

extension TaskRequest.Kind {
    /// The kinds that count against one limit with this one.
    package var sharingLimit: [TaskRequest.Kind] { needsIdleMachine ? [.processing, .healthResearch] : [self] }

    /// As a word before "request" or "task".
    package var noun: String {
        switch self {
        case .refresh: "refresh"
        case .processing: "processing"
        case .healthResearch: "health research"
        case .continued: "continued processing"
        }
    }

    /// The mode that `UIBackgroundModes` must name; nil for none.
    package var backgroundMode: String? {
        switch self {
        case .refresh: "fetch"
        case .processing, .healthResearch: "processing"
        case .continued: nil
        }
    }
}
