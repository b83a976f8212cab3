// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

/// The program `offstage-fleet`, which this one executes in its place.
package enum FleetProgram {
    /// The variable with the database's address. All users can see arguments, but only this user the environment.
    package static let databaseVariable = "OFFSTAGE_FLEET_DATABASE"

    /// Indicates that the variable's address was an operand. It is then stored, unlike one from the user's variable.
    package static let operandVariable = "OFFSTAGE_FLEET_OPERAND"

    private static let sibling = SiblingProgram(name: "offstage-fleet", variable: "OFFSTAGE_FLEET")

    /// The program's path: the value of `OFFSTAGE_FLEET`, otherwise beside the running program, otherwise in `PATH`.
    ///
    /// - Throws: `CommandFailure` if it does not exist.
    package static func path(_ environment: [String: String]) throws(CommandFailure) -> String {
        try sibling.find(environment)
    }

    /// Whether this user's commands have a fleet: by the environment, by `offstage fleet use`, or because this machine
    /// is a member.
    package static func isFleetKnown(_ environment: [String: String], _ paths: OffstagePaths) -> Bool {
        let isNamed = environment[databaseVariable].map { !$0.isEmpty } ?? false
        return isNamed || access(paths.fleetPlace, F_OK) == 0 || access(paths.fleetMember, F_OK) == 0
    }

    /// Executes `offstage-fleet` in this process, which then owns the terminal, signals and exit status.
    ///
    /// - Parameters:
    ///   - words: the command line.
    ///   - command: the parsed command.
    ///   - context: the command's context.
    /// - Throws: `CommandFailure` if the program does not exist or cannot be started.
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

    /// The program's arguments and variables. An address is never an argument, as it may hold a password.
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

    /// Reports that there is no fleet, for programs that do not support one.
    package static func isAbsent(_ command: any Command, _ context: CommandContext) throws -> ExitStatus {
        throw CommandFailure("This program does not speak to a fleet: use 'offstage fleet'.")
    }
}
