// SPDX-License-Identifier: Apache-2.0
import OffstageCommands

/// The program `offstage-fleet`, which `offstage fleet` and `offstage upload --fleet` execute.
package enum FleetTool {
    /// Runs the process's own command line and ends the process.
    package static func main() -> Never {
        CommandLineTool.main(prefix: prefix(CommandLine.arguments.dropFirst().first), fleet: FleetContext.carryOut)
    }

    /// The words to insert before those of the command line: `offstage-fleet list` is `offstage fleet list`.
    ///
    /// - Parameter first: the first word of the command line.
    /// - Returns: those words.
    package static func prefix(_ first: String?) -> [String] {
        switch first {
        case nil, "--help", "-h", "help": ["help", "fleet"]
        case "upload", "--version", "-V", "version": []
        default: ["fleet"]
        }
    }
}
