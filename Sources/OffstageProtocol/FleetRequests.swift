// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// From now on this connection keeps the memory of a fleet's transfers, replacing any other connection: it receives a
/// `MemoryToKeep` before each request that depends on one. Transfers that waited for it continue.
package struct AttachKeeper: WireRequest {
    package static let name = "fleet.attach"
    package typealias Reply = Empty
    /// The fleet's id, as in `TransferKeeper`.
    package var fleet: String
    package init(fleet: String) { self.fleet = fleet }
}

/// Answers `MemoryToKeep` events, over the connection that received them.
package struct AnswerKeep: WireRequest {
    package static let name = "fleet.kept"
    package typealias Reply = Empty

    package struct Answer: Codable, Sendable, Equatable {
        /// `MemoryToKeep.number`. A number that is no longer waited for is ignored.
        @Within<Counts> package var number: Int
        /// Whether the memory is kept. If not, the attempt ends without another request, and the transfer waits.
        package var isKept: Bool
        package init(number: Int, isKept: Bool) {
            self.number = number
            self.isKept = isKept
        }
    }

    /// The most answers in one request.
    package static let mostAnswers = 1000
    package var answers: [Answer]
    package init(answers: [Answer]) { self.answers = answers }

    /// Checks a client's values.
    package func validate() throws(RequestError) {
        guard answers.count <= Self.mostAnswers else {
            throw .invalidValue("One request may have \(Self.mostAnswers) answers")
        }
    }
}

/// Sets a fleet's policies for this machine's transfers, until the fleet sets others or the daemon ends.
package struct SetFleetPolicy: WireRequest {
    package static let name = "fleet.policy"
    package typealias Reply = Empty
    /// The fleet's id, as in `TransferKeeper`.
    package var fleet: String
    /// The fleet's name for people, in reasons; nil for its id.
    package var label: String?
    /// All rules that apply to this machine: the strictest one counts. Empty if the fleet sets none, or no longer does.
    package var policies: [FleetPolicy]

    /// The most rules.
    package static let mostPolicies = 64
    /// The most entries in all their schedules together.
    package static let mostHours = 1024

    package init(fleet: String, label: String? = nil, policies: [FleetPolicy]) {
        self.fleet = fleet
        self.label = label
        self.policies = policies
    }

    /// Checks a client's values.
    package func validate() throws(RequestError) {
        try TransferKeeper.validate(fleet: fleet)
        guard Self.fitting(policies).count == policies.count else {
            throw .invalidValue(
                "A fleet may have \(Self.mostPolicies) sets of rules, with \(Self.mostHours) hours in them"
            )
        }
    }

    /// The rules that fit one request; the first ones take precedence.
    package static func fitting(_ policies: [FleetPolicy]) -> [FleetPolicy] {
        var hours = 0
        return policies.prefix(mostPolicies).filter { policy in
            let sum = hours.addingClamped(policy.hours.count)
            guard sum <= mostHours else { return false }
            hours = sum
            return true
        }
    }
}
