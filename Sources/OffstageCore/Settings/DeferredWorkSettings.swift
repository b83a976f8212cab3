// SPDX-License-Identifier: Apache-2.0

/// The settings for deferred work; every key is optional.
package struct DeferredWorkSettings: Sendable, Equatable, Codable {
    /// Whether refresh tasks run, unless `AppSettings.backgroundRefresh` says otherwise.
    package var refresh: Bool?
    /// Seconds that the tasks of one app may take in any day, except continued processing.
    package var dailySeconds: Double?
    /// The number of simultaneous tasks.
    package var running: Int?
    /// Pending requests of one app, by kind.
    package var refreshRequests: Int?
    package var processingRequests: Int?
    /// Seconds that a processing task may take.
    package var processingSeconds: Double?
    /// Least charge without external power, 0 to 1.
    package var leastCharge: Double?

    package init() {}

    /// The keys that the object may have.
    package static var keys: [String] { CodingKeys.allCases.map(\.rawValue) }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case refresh, dailySeconds, running, refreshRequests, processingRequests, processingSeconds, leastCharge
    }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseUnknownKeys(CodingKeys.self, of: "deferredWork")
        let container = try decoder.container(keyedBy: CodingKeys.self)
        refresh = try container.decodeIfPresent(Bool.self, forKey: .refresh)
        dailySeconds = try container.decodeIfPresent(Double.self, forKey: .dailySeconds)
        running = try container.decodeIfPresent(Int.self, forKey: .running)
        refreshRequests = try container.decodeIfPresent(Int.self, forKey: .refreshRequests)
        processingRequests = try container.decodeIfPresent(Int.self, forKey: .processingRequests)
        processingSeconds = try container.decodeIfPresent(Double.self, forKey: .processingSeconds)
        leastCharge = try container.decodeIfPresent(Double.self, forKey: .leastCharge)
    }

    /// The mistake, for a sentence, if a value is out of range; nil otherwise.
    var problem: String? {
        if let dailySeconds, !(1...86_400).contains(dailySeconds) {
            return "deferredWork.dailySeconds must be from 1 to 86400"
        }
        if let running, !(1...1000).contains(running) { return "deferredWork.running must be from 1 to 1000" }
        if let refreshRequests, !(1...100_000).contains(refreshRequests) {
            return "deferredWork.refreshRequests must be from 1 to 100000"
        }
        if let processingRequests, !(1...100_000).contains(processingRequests) {
            return "deferredWork.processingRequests must be from 1 to 100000"
        }
        if let processingSeconds, !(1...86_400).contains(processingSeconds) {
            return "deferredWork.processingSeconds must be from 1 to 86400"
        }
        if let leastCharge, !(0...1).contains(leastCharge) { return "deferredWork.leastCharge must be from 0 to 1" }
        return nil
    }

    /// A policy with these settings.
    func applied(to policy: TaskPolicy) -> TaskPolicy {
        var policy = policy
        policy.isRefreshOn = refresh ?? policy.isRefreshOn
        policy.dailySeconds = dailySeconds ?? policy.dailySeconds
        policy.runningLimit = running ?? policy.runningLimit
        policy.refreshLimit = refreshRequests ?? policy.refreshLimit
        policy.processingLimit = processingRequests ?? policy.processingLimit
        policy.processingSeconds = processingSeconds ?? policy.processingSeconds
        policy.leastCharge = leastCharge ?? policy.leastCharge
        return policy
    }
}

extension Settings {
    /// The policy for deferred work: `strict` is the base, and these settings take precedence.
    package var taskPolicy: TaskPolicy {
        var policy = deferredWork.applied(to: strict ? .strict : TaskPolicy())
        for (app, settings) in apps {
            guard let isOn = settings.backgroundRefresh, isOn != policy.isRefreshOn else { continue }
            policy.refreshExceptions.insert(app)
        }
        return policy
    }
}
