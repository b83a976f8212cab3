// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The fleet's rules for a member's own transfers: limits, hours, metered networks, a pause. Rules for several sets of
/// labels may apply to one member. The strictest of each kind counts, and none of them permits what the machine's own
/// settings forbid.
package struct FleetPolicy: Sendable, Equatable, Codable {
    /// Nothing moves.
    package var isPaused = false
    /// Bytes per second for all transfers together; nil for no limit.
    package var rateLimit: Int64?
    /// The most transfers at a time; nil for no limit.
    package var maximumRunning: Int?
    /// Whether transfers may use a metered network.
    package var allowsMetered = true
    /// The rules by time of day, in the member's own time zone.
    package var hours: [ScheduleEntry] = []

    package init() {}

    private enum CodingKeys: String, CodingKey {
        case isPaused = "paused", rateLimit, maximumRunning, allowsMetered = "metered", hours
    }

    /// The most entries of a schedule.
    package static let mostHours = 64
    /// Values in the JSON.
    private static let mostValues = 1000

    /// Reads rules in the database's form.
    ///
    /// An unknown key is ignored: a fleet has members of two versions, and the older one cannot obey rules that it does
    /// not know. Rules that make no sense are rejected as a whole.
    ///
    /// - Throws: `DecodingError`, `JSONShape.Problem`.
    package init(json: String) throws {
        self = try ForeignJSON.decode(FleetPolicy.self, from: json.utf8, values: Self.mostValues)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func refuse(_ key: CodingKeys, _ text: String) -> DecodingError {
            .dataCorruptedError(forKey: key, in: container, debugDescription: text)
        }
        isPaused = try container.decodeIfPresent(Bool.self, forKey: .isPaused) ?? false
        rateLimit = try container.decodeIfPresent(Int64.self, forKey: .rateLimit)
        guard rateLimit.map({ $0 > 0 && ByteCounts.range.contains($0) }) ?? true else {
            throw refuse(.rateLimit, "it must be above 0; \"paused\": true lets nothing move")
        }
        maximumRunning = try container.decodeIfPresent(Int.self, forKey: .maximumRunning)
        guard maximumRunning.map({ (1...100_000).contains($0) }) ?? true else {
            throw refuse(.maximumRunning, "it must be from 1 to 100000")
        }
        allowsMetered = try container.decodeIfPresent(Bool.self, forKey: .allowsMetered) ?? true
        hours = try container.decodeIfPresent([ScheduleEntry].self, forKey: .hours) ?? []
        guard hours.count <= Self.mostHours else { throw refuse(.hours, "there are at most \(Self.mostHours) entries") }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if isPaused { try container.encode(true, forKey: .isPaused) }
        try container.encodeIfPresent(rateLimit, forKey: .rateLimit)
        try container.encodeIfPresent(maximumRunning, forKey: .maximumRunning)
        if !allowsMetered { try container.encode(false, forKey: .allowsMetered) }
        if !hours.isEmpty { try container.encode(hours, forKey: .hours) }
    }

    /// The rules in force at a time.
    package struct Effect: Sendable, Equatable {
        /// Bytes per second; nil for no limit.
        package var rateLimit: Int64?
        package var maximumRunning: Int?
        /// Why nothing moves; nil if transfers may.
        package var hold: Hold?
        /// When to check again; nil if only a change of the rules or the machine matters.
        package var nextLook: Date?

        package init(rateLimit: Int64? = nil, maximumRunning: Int? = nil, hold: Hold? = nil, nextLook: Date? = nil) {
            self.rateLimit = rateLimit
            self.maximumRunning = maximumRunning
            self.hold = hold
            self.nextLook = nextLook
        }
    }

    package enum Hold: String, Sendable, Codable, CaseIterable {
        case paused
        case hours
        case metered

        /// In a few words that fit a table.
        ///
        /// - Parameter fleet: the fleet's name, which is foreign text.
        /// - Returns: the words.
        package func summary(of fleet: String) -> String {
            let name = "'\(FleetText(fleet, longest: 64))'"
            return switch self {
            case .paused: "waiting: the fleet \(name) has paused this machine"
            case .hours: "waiting: the fleet \(name) lets nothing run at this time of day"
            case .metered: "waiting for an unmetered network: the fleet \(name) allows no other"
            }
        }
    }

    /// The combined effect of several sets of rules.
    ///
    /// - Parameters:
    ///   - policies: all policies that apply to the member.
    ///   - now: the time.
    ///   - zone: the member's time zone.
    ///   - isMetered: whether its network is metered.
    /// - Returns: the rules in force now, and when to check again.
    package static func effect(of policies: [FleetPolicy], at now: Date, in zone: CivilZone, isMetered: Bool) -> Effect
    {
        var effect = Effect()
        var holds: Set<Hold> = []
        for policy in policies {
            let schedule = DaySchedule(policy.hours, usualLimit: policy.rateLimit)
            let hours = schedule.effect(at: now, in: zone)
            if policy.isPaused { holds.insert(.paused) }
            if !hours.transfers { holds.insert(.hours) }
            if isMetered, !policy.allowsMetered { holds.insert(.metered) }
            effect.rateLimit = least(least(effect.rateLimit, hours.rateLimit), policy.rateLimit)
            effect.maximumRunning = least(effect.maximumRunning, policy.maximumRunning)
            effect.nextLook = least(effect.nextLook, schedule.nextLook(after: now, in: zone))
        }
        effect.hold = Hold.allCases.first { holds.contains($0) }
        return effect
    }

    private static func least<Value: Comparable>(_ left: Value?, _ right: Value?) -> Value? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }
}
