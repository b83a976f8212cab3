// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import Testing

@Suite struct SetFleetPolicyTests {
    private func policy(hours: Int) -> FleetPolicy {
        var policy = FleetPolicy()
        policy.hours = Array(repeating: ScheduleEntry(from: 480, to: 1080), count: hours)
        return policy
    }

    @Test func `rules with too many hours in all are refused, and a member sends those that fit`() throws {
        let most = SetFleetPolicy.mostHours / FleetPolicy.mostHours
        let full = Array(repeating: policy(hours: FleetPolicy.mostHours), count: most)
        try SetFleetPolicy(fleet: "f", policies: full).validate()
        let all = full + [policy(hours: 1), policy(hours: 0)]
        #expect(throws: RequestError.self) { try SetFleetPolicy(fleet: "f", policies: all).validate() }
        // A pause without hours fits.
        #expect(SetFleetPolicy.fitting(all) == full + [policy(hours: 0)])
        let many = Array(repeating: FleetPolicy(), count: SetFleetPolicy.mostPolicies + 1)
        #expect(throws: RequestError.self) { try SetFleetPolicy(fleet: "f", policies: many).validate() }
        #expect(SetFleetPolicy.fitting(many).count == SetFleetPolicy.mostPolicies)
    }
}
