// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// The rules of the fleet that reach this member, as far as it has heard.
struct MemberRules {
    /// The newest version that was read.
    private(set) var seen: Int64 = 0
    /// Whether the database has said which there are: the daemon may have some of an earlier life.
    private(set) var areKnown = false
    private var byName: [String: FleetPolicy] = [:]

    /// In the order of their names; no more than the daemon takes.
    private var policies: [FleetPolicy] {
        SetFleetPolicy.fitting(byName.sorted { $0.key < $1.key }.map(\.value))
    }

    /// Adopts rules that have changed, and sends them to the daemon. Of a rule that makes no sense, the earlier form holds.
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
                // It is for others now, or was taken back.
                byName[name] = policy == FleetPolicy() ? nil : policy
            } catch {
                log("The rules '\(FleetText(name, longest: 63))' of the fleet make no sense and are passed over.")
            }
        }
        apply(daemon, fleet, log)
    }

    /// Tells the daemon what the fleet says of this machine.
    func apply(_ daemon: MemberDaemon, _ fleet: String, _ log: @escaping (String) -> Void) {
        guard daemon.isPrepared, areKnown else { return }
        daemon.ask(SetFleetPolicy(fleet: fleet, policies: policies)) { result in
            if case .failure(let error) = result, error.code != .connectionLost {
                log("The daemon does not take the fleet's rules: \(error).")
            }
        }
    }
}
