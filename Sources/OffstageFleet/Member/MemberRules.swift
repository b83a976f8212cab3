// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// The fleet's rules for this member, as far as it has received them.
struct MemberRules {
    /// The newest version received.
    private(set) var seen: Int64 = 0
    /// Whether the database has sent the rules. The daemon may still have rules from an earlier run.
    private(set) var areKnown = false
    private var byName: [String: FleetPolicy] = [:]

    /// The policies in the order of their names, up to the daemon's limit.
    private var policies: [FleetPolicy] {
        SetFleetPolicy.fitting(byName.sorted { $0.key < $1.key }.map(\.value))
    }

    /// Adopts changed rules, and sends them to the daemon. For an invalid rule, the earlier version remains in force.
    mutating func update(
        _ records: [FleetRecord],
        _ daemon: MemberDaemon,
        _ fleet: String,
        _ log: @escaping (String) -> Void
    ) {
        areKnown = true
        for record in records {
            guard let version = record.number("id", FleetPolicyVersions.self), let name = record.raw("path") else {
                continue
            }
            seen = max(seen, version)
            do {
                let policy = try FleetPolicy(json: record.raw("spec") ?? "")
                // It no longer applies to this member, or was withdrawn.
                byName[name] = policy == FleetPolicy() ? nil : policy
            } catch {
                log("The rules '\(FleetText(name, longest: 63))' of the fleet make no sense and are passed over.")
            }
        }
        apply(daemon, fleet, log)
    }

    /// Sends the daemon the fleet's rules for this machine.
    func apply(_ daemon: MemberDaemon, _ fleet: String, _ log: @escaping (String) -> Void) {
        guard daemon.isPrepared, areKnown else { return }
        daemon.ask(SetFleetPolicy(fleet: fleet, policies: policies)) { result in
            if case .failure(let error) = result, error.code != .connectionLost {
                log("The daemon does not take the fleet's rules: \(error).")
            }
        }
    }
}
