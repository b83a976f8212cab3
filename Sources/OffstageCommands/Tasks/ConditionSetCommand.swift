// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage condition set NAME=VALUE…` simulates conditions.
package struct ConditionSetCommand: Command {
    package static let path = ["condition", "set"]
    package static let summary = "Pretend conditions, for developers: no network, on battery, busy."
    package static let synopsis = ["NAME=VALUE…"]
    package static let discussion = """
        Applies to deferred tasks, and to transfers of sessions with requirements (allowsCellularAccess and the like,
        isDiscretionary), until 'offstage condition clear' or the end of the daemon. Transfers always check for themselves
        whether there is a network. Conditions that are not named stay as they are.

          network=none|cellular|metered|unmetered   power=external|battery   battery=50%
          load=busy|idle                            disk=full|free           lowdata=on|off
        """
    package static let operands = OperandKind.words(words)
    package static let examples = [
        CommandExample("offstage condition set network=none", "see what waits for a network"),
        CommandExample("offstage condition set power=battery battery=15%", "a laptop with an almost empty battery"),
    ]

    private static let words = [
        "network=none", "network=cellular", "network=metered", "network=unmetered", "power=external", "power=battery",
        "battery=",
        "load=busy", "load=idle", "disk=full", "disk=free",
        "lowdata=on", "lowdata=off",
    ]

    private let words: [String]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        words = arguments.takeOperands()
        guard !words.isEmpty else { throw UsageError("name what to pretend: network=none, power=battery, load=busy") }
        var pretended = PretendedConditions()
        for word in words { try Self.parse(word, into: &pretended) }
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connection = try context.connect()
        var pretended = try connection.send(GetConditions()).machine.pretended
        for word in words { try Self.parse(word, into: &pretended) }
        let reply = try connection.send(PretendConditions(pretended: pretended))
        try ConditionCommand.show(reply.machine, context)
        return .success
    }

    /// - Throws: `UsageError` for an unknown name or value.
    static func parse(_ word: String, into pretended: inout PretendedConditions) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { throw UsageError("'\(word)' has no value; for example network=none") }
        switch (parts[0], parts[1]) {
        case ("network", let value):
            guard let network = MachineConditions.Network(rawValue: value) else {
                throw UsageError("'\(value)' is not a network; choose none, cellular, metered or unmetered")
            }
            pretended.network = network
        case ("power", "external"): pretended.hasExternalPower = true
        case ("power", "battery"): pretended.hasExternalPower = false
        case ("power", let value): throw UsageError("'\(value)' is not a power source; choose external or battery")
        case ("battery", let value):
            let digits = value.hasSuffix("%") ? String(value.dropLast()) : value
            guard let percent = Quantity.count(digits), percent <= 100 else {
                throw UsageError("'\(value)' is not a charge; write 0% to 100%")
            }
            pretended.batteryCharge = Double(percent) / 100
        case ("load", "busy"): pretended.isBusy = true
        case ("load", "idle"): pretended.isBusy = false
        case ("load", let value): throw UsageError("'\(value)' is not a load; choose busy or idle")
        case ("disk", "full"): pretended.isDiskFull = true
        case ("disk", "free"): pretended.isDiskFull = false
        case ("disk", let value): throw UsageError("'\(value)' is not a disk state; choose full or free")
        case ("lowdata", "on"): pretended.isDataLow = true
        case ("lowdata", "off"): pretended.isDataLow = false
        case ("lowdata", let value): throw UsageError("'\(value)' is not a low data mode; choose on or off")
        case (let name, _):
            throw UsageError(
                "'\(name)' is not a condition; choose from \(ConditionsText.names.joined(separator: ", "))"
            )
        }
    }
}
