// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The combined rules of all fleets for this machine's transfers now. The strictest of each kind counts, and carries
/// the name of its fleet.
package struct FleetRules: Sendable {
    /// A rule, with the name of the fleet it comes from.
    package struct Named<Value: Sendable & Equatable>: Sendable, Equatable {
        package var fleet: String
        package var value: Value

        package init(fleet: String, value: Value) {
            self.fleet = fleet
            self.value = value
        }
    }

    private struct Fleet {
        var label: String
        var policies: [FleetPolicy]
    }

    /// The rules in force at a time.
    fileprivate struct Standing: Equatable {
        var rateLimit: Int64?
        var maximumRunning: Named<Int>?
        var hold: Named<FleetPolicy.Hold>?
        var metered: String?
    }

    private var fleets: [String: Fleet] = [:]
    private var standing = Standing()
    /// When to check again; nil if only a change of the rules matters.
    package private(set) var due: Date?

    /// The most fleets that have rules.
    package static let mostFleets = 16

    package init() {}

    /// Bytes per second for all transfers together; nil for no limit.
    package var rateLimit: Int64? { standing.rateLimit }
    /// The most transfers at a time; nil for no limit.
    package var maximumRunning: Named<Int>? { standing.maximumRunning }
    /// Why nothing moves, whatever the network is; nil if transfers may.
    package var hold: Named<FleetPolicy.Hold>? { standing.hold }
    /// The fleet that forbids metered networks; nil for none.
    package var fleetAgainstMetered: String? { standing.metered }

    /// Sets the rules of a fleet; they count from the next `look` on.
    ///
    /// - Parameters:
    ///   - policies: all that apply to this machine; empty for a fleet without rules.
    ///   - fleet: its id.
    ///   - label: its name for people.
    /// - Returns: false, with nothing changed, if the maximum number of other fleets already have rules.
    @discardableResult
    package mutating func set(_ policies: [FleetPolicy], of fleet: String, label: String) -> Bool {
        guard policies.isEmpty || fleets[fleet] != nil || fleets.count < Self.mostFleets else { return false }
        fleets[fleet] = policies.isEmpty ? nil : Fleet(label: label, policies: policies)
        due = .distantPast
        return true
    }

    /// Checks the time of day.
    ///
    /// - Returns: whether different rules apply from now on.
    package mutating func look(at now: Date, in zone: CivilZone) -> Bool {
        guard let due, due <= now else { return false }
        var (found, next) = (Standing(), Date?.none)
        for (_, fleet) in fleets.sorted(by: { $0.key < $1.key }) {
            let effect = FleetPolicy.effect(of: fleet.policies, at: now, in: zone, isMetered: false)
            found.add(effect, of: fleet.label)
            if found.metered == nil, fleet.policies.contains(where: { !$0.allowsMetered }) {
                found.metered = fleet.label
            }
            next = [next, effect.nextLook].compactMap(\.self).min()
        }
        self.due = next
        defer { standing = found }
        return found != standing
    }
}

extension FleetRules.Standing {
    fileprivate mutating func add(_ effect: FleetPolicy.Effect, of fleet: String) {
        rateLimit = [rateLimit, effect.rateLimit].compactMap(\.self).min()
        if let most = effect.maximumRunning, maximumRunning.map({ most < $0.value }) ?? true {
            maximumRunning = .init(fleet: fleet, value: most)
        }
        if hold == nil, let found = effect.hold { hold = .init(fleet: fleet, value: found) }
    }
}
