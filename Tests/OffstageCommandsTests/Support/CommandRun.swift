// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCommands
import OffstageTestSupport

/// Not the test kit's type of this name, which is for processes.
package typealias ExitStatus = OffstageCommands.ExitStatus

/// One command line, run in this process with its output caught.
package struct CommandRun {
    package let status: ExitStatus
    package let output: String
    package let errors: String

    /// - Parameters:
    ///   - words: the words after `offstage`.
    ///   - home: `OFFSTAGE_HOME`; a folder that does not exist when left out.
    ///   - directory: the working directory.
    ///   - columns: the width of the terminal; 0 for no terminal.
    ///   - environment: added to `OFFSTAGE_HOME`.
    ///   - input: standard input.
    ///   - signals: a descriptor that is readable when Ctrl-C is pressed.
    ///   - keyboard: a descriptor from which keys are read.
    ///   - now: the time.
    package init(
        _ words: [String],
        home: String = "/nonexistent-offstage",
        directory: String = "/",
        columns: Int = 0,
        environment: [String: String] = [:],
        input: String = "",
        signals: Int32 = -1,
        keyboard: Int32 = -1,
        now: Date = noon
    ) {
        let caught = Output(capturedColumns: columns)
        status = CommandLineTool.run(words, output: caught) { printsJSON, startsDaemon in
            CommandContext(
                environment: environment.merging(["OFFSTAGE_HOME": home]) { $1 },
                workingDirectory: directory,
                output: caught,
                printsJSON: printsJSON,
                startsDaemon: startsDaemon,
                now: { now },
                catchSignals: { signals },
                readInput: { Array(input.utf8) },
                readLine: { input.split(separator: "\n").first.map(String.init) },
                keyboard: { keyboard }
            )
        }
        output = caught.printed
        errors = caught.complained
    }

    package var lines: [String] { output.split(separator: "\n").map(String.init) }
}

/// A moment for tests that need one.
package let noon = Date(timeIntervalSince1970: 1_790_000_000)
