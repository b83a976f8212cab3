// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

/// The program `offstage-fleet`, as this one turns into it.
package enum FleetProgram {
    /// The variable with the database's address: everybody on the machine sees arguments, and this user alone the environment.
    package static let databaseVariable = "OFFSTAGE_FLEET_DATABASE"

    /// Says that the address in that variable was an operand: it is then kept, and one of the user's own variable is not.
    package static let operandVariable = "OFFSTAGE_FLEET_OPERAND"

    private static let sibling = SiblingProgram(name: "offstage-fleet", variable: "OFFSTAGE_FLEET")

    /// Where it is: what `OFFSTAGE_FLEET` says, otherwise beside the running program, otherwise in `PATH`.
    ///
    /// - Throws: `CommandFailure` if it is not there.
    package static func path(_ environment: [String: String]) throws(CommandFailure) -> String {
        try sibling.find(environment)
    }

    /// Whether this user's commands know of a fleet: by the environment, by `offstage fleet use`, or as this machine is a member.
    package static func isFleetKnown(_ environment: [String: String], _ paths: OffstagePaths) -> Bool {
        let isNamed = environment[databaseVariable].map { !$0.isEmpty } ?? false
        return isNamed || access(paths.fleetPlace, F_OK) == 0 || access(paths.fleetMember, F_OK) == 0
    }

    /// Becomes `offstage-fleet` in this process: terminal, signals and exit status are its own from then on.
    ///
    /// - Parameters:
    ///   - words: the command line.
    ///   - command: what was parsed from it.
    ///   - context: the command's.
    /// - Throws: `CommandFailure` if the program is not there or cannot be started.
    package static func become(
        _ words: [String],
        of command: any Command,
        _ context: CommandContext
    ) throws(CommandFailure) -> Never {
        let program = try sibling.find(context.environment)
        let order = order(words, of: command, context.environment)
        let arguments: [UnsafeMutablePointer<CChar>?] = ([program] + order.words).map { strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] =
            order.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        execve(program, arguments, variables)
        let code = errno
        for text in [arguments, variables].joined() { free(text) }
        throw CommandFailure("\(program) cannot be started (\(String(cString: strerror(code)))): check it.")
    }

    /// The words and variables that the program is given: an address, which may hold a password, is no word of it.
    package static func order(
        _ words: [String],
        of command: any Command,
        _ environment: [String: String]
    ) -> (words: [String], environment: [String: String]) {
        let rest = words.first == "fleet" ? Array(words.dropFirst()) : words
        guard let database = (command as? any FleetCommand)?.database else { return (rest, environment) }
        let said = [databaseVariable: database, operandVariable: "1"]
        return (rest.filter { $0 != database }, environment.merging(said) { $1 })
    }

    /// For programs that have nothing to do with a fleet.
    package static func isAbsent(_ command: any Command, _ context: CommandContext) throws -> ExitStatus {
        throw CommandFailure("This program does not speak to a fleet: use 'offstage fleet'.")
    }
}
