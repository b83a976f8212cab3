// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import FoundationEssentials
import Glibc
import OffstageClient
import OffstageCore
import OffstageProtocol

/// The program `offstage`: finds the command named by the words, runs it, and turns errors into sentences.
package enum CommandLineTool {
    /// Every command, in the order of the help.
    package static var commands: [any Command.Type] {
        [
            UploadCommand.self, DownloadCommand.self,
            ListCommand.self, ShowCommand.self, WhyCommand.self, WaitCommand.self, WatchCommand.self,
            EventsCommand.self, TimelineCommand.self, VerifyCommand.self,
            PauseCommand.self, ResumeCommand.self, CancelCommand.self, RetryCommand.self, ForgetCommand.self,
            LimitCommand.self, ChangeCommand.self, HeaderSetCommand.self,
            AccountAddCommand.self, AccountListCommand.self, AccountShowCommand.self, AccountRemoveCommand.self,
            AppBundleCommand.self, AppInstallCommand.self, AppListCommand.self, AppInfoCommand.self,
            AppLogCommand.self,
            AppLaunchCommand.self, AppBackgroundCommand.self, AppForegroundCommand.self,
            AppQuitCommand.self, AppTerminateCommand.self, AppRemoveCommand.self, AppPressureCommand.self,
            TasksCommand.self, TasksForecastCommand.self, TasksCancelCommand.self,
            SimulateLaunchCommand.self, SimulateExpireCommand.self, SimulateAdvanceCommand.self,
            ConditionCommand.self, ConditionSetCommand.self, ConditionClearCommand.self,
            NotificationsCommand.self, NotificationsAnswerCommand.self,
            DaemonStatusCommand.self, DaemonStopCommand.self, DaemonLogCommand.self, MetricsCommand.self,
            DoctorCommand.self, PageCommand.self, CompletionCommand.self,
        ] + fleetCommands
    }

    /// The commands that `offstage-fleet` carries out.
    package static var fleetCommands: [any Command.Type] {
        [
            FleetInitCommand.self, FleetGrantCommand.self, FleetUseCommand.self,
            FleetStatusCommand.self, FleetListCommand.self, FleetShowCommand.self, FleetWhyCommand.self,
            FleetWatchCommand.self,
            FleetPauseCommand.self, FleetResumeCommand.self, FleetCancelCommand.self, FleetRetryCommand.self,
            FleetSettleCommand.self, FleetLimitCommand.self, FleetRulesCommand.self,
            FleetMembersCommand.self, FleetOutcomesCommand.self, FleetQueuesCommand.self, FleetMetricsCommand.self,
            FleetJoinCommand.self, FleetDrainCommand.self, FleetLeaveCommand.self,
            FleetPruneCommand.self, FleetRestoredCommand.self,
        ]
    }

    /// Commands for packagers of Offstage, which help, completion and manual leave out.
    private static var hiddenCommands: [any Command.Type] { [ManualCommand.self, FleetMemberRunCommand.self] }

    /// Runs the process's own command line and ends the process.
    ///
    /// - Parameters:
    ///   - prefix: words to insert before those of the command line.
    ///   - fleet: carries out commands for a fleet; nil to execute `offstage-fleet` instead.
    package static func main(
        prefix: [String] = [],
        fleet: ((any Command, CommandContext) throws -> ExitStatus)? = nil
    ) -> Never {
        offstage_fill_standard_descriptors()
        // A daemon that this process starts outlives it and is not waited for.
        signal(SIGCHLD, SIG_IGN)
        let environment = ProcessInfo.processInfo.environment
        let output = Output(environment: environment)
        let words = prefix + CommandLine.arguments.dropFirst()
        // Swift has replaced invalid UTF-8, and a file would be saved under another name.
        for index in words.indices.dropFirst(prefix.count) {
            guard let raw = CommandLine.unsafeArgv[index - prefix.count + 1], String(validatingCString: raw) == nil
            else { continue }
            output.complain("offstage: \(ForeignBytes.sentence(index, of: words))")
            exit(ExitStatus.usage.code)
        }
        let status = run(words, output: output) { printsJSON, startsDaemon in
            CommandContext(
                environment: environment,
                workingDirectory: CommandContext.currentDirectory().path,
                directoryProblem: CommandContext.currentDirectory().problem,
                output: output,
                printsJSON: printsJSON,
                startsDaemon: startsDaemon,
                catchSignals: CommandContext.signalDescriptor,
                readInput: InputLines.readStandardInput,
                readLine: InputLines.readLine,
                keyboard: Keyboard.standardInput,
                catchSizes: offstage_signalfd_for_sizes,
                fleet: fleet ?? { command, context in try FleetProgram.become(words, of: command, context) }
            )
        }
        guard let problem = output.problem else { exit(status.code) }
        output.complain("offstage: \(problem)")
        exit((status == .success ? ExitStatus.outputLost : status).code)
    }

    /// Runs one command line.
    ///
    /// - Parameters:
    ///   - words: the words after the program's name.
    ///   - output: where everything is printed.
    ///   - makeContext: creates a context, given whether JSON is wanted and whether a daemon may be started.
    /// - Returns: the exit status.
    package static func run(
        _ words: [String],
        output: Output,
        makeContext: (_ printsJSON: Bool, _ startsDaemon: Bool) -> CommandContext
    ) -> ExitStatus {
        if let status = answerAlone(words, output) { return status }
        guard let type = find(words) else {
            output.complain(unknown(words))
            return .usage
        }
        let rest = Array(words.dropFirst(type.path.count))
        do {
            if ArgumentCursor.asksForHelp(rest) {
                output.write(HelpText.of(type))
                return .success
            }
            if let sentence = type.misunderstanding(rest) { throw UsageError(sentence) }
            var cursor = try ArgumentCursor(rest, options: type.allOptions)
            let printsJSON = cursor.takeFlag("--json")
            let startsDaemon = !cursor.takeFlag("--no-start")
            let command = try type.init(&cursor)
            return try command.run(makeContext(printsJSON, startsDaemon))
        } catch let error as UsageError {
            let name = type.path.joined(separator: " ")
            output.complain(
                "offstage: \(error.message.redactedControls)\(error.message.hasSuffix("?") ? "" : ".") See 'offstage \(name) --help'."
            )
            return .usage
        } catch {
            return complain(error, output)
        }
    }

    /// Parses a command line into a command; nil if it names none.
    ///
    /// - Throws: `UsageError`.
    package static func parse(_ words: [String]) throws(UsageError) -> (any Command)? {
        guard let type = find(words) else { return nil }
        var cursor = try ArgumentCursor(Array(words.dropFirst(type.path.count)), options: type.allOptions)
        _ = (cursor.takeFlag("--json"), cursor.takeFlag("--no-start"))
        return try type.init(&cursor)
    }

    private static func complain(_ error: any Error, _ output: Output) -> ExitStatus {
        switch error {
        case let status as ExitStatus:
            return status
        case let failure as CommandFailure:
            for sentence in failure.sentences { output.complain("offstage: \(sentence.redactedControls)") }
            return failure.status
        case let refusal as OffstageError:
            output.complain("offstage: \(refusal.description.redactedControls)")
            return refusal.exitStatus
        default:
            output.complain("offstage: Something unexpected went wrong (\(error)): please report this.")
            return .failure
        }
    }

    /// Handles `--version`, `--help` and a missing command.
    private static func answerAlone(_ words: [String], _ output: Output) -> ExitStatus? {
        switch words.first {
        case nil:
            output.complain(HelpText.overview(commands))
            return .usage
        case "--version", "-V", "version":
            let isJSON = words.contains("--json")
            output.print(
                isJSON ? "{\"version\":\"\(OffstageVersion.current)\"}" : "offstage \(OffstageVersion.current)"
            )
            return .success
        case "--help", "-h", "help":
            let named = Array(words.dropFirst())
            if let type = find(named) {
                output.write(HelpText.of(type))
            } else if let family = HelpText.family(named, commands) {
                output.write(family)
            } else {
                output.write(HelpText.overview(commands) + "\n")
            }
            return .success
        default:
            return nil
        }
    }

    static func find(_ words: [String]) -> (any Command.Type)? {
        // 'tasks' is a command, and so is 'tasks forecast': the longest name wins.
        (commands + hiddenCommands)
            .filter { words.count >= $0.path.count && Array(words.prefix($0.path.count)) == $0.path }
            .max { $0.path.count < $1.path.count }
    }

    /// Other programs' names for commands that are named differently here.
    private static let otherWords = [
        "stop": "'offstage pause' holds a transfer, 'cancel' ends it, and 'daemon stop' ends the daemon",
        "start": "'offstage resume' continues a transfer, and the first command starts the daemon",
        "status": "'offstage list' shows the transfers, and 'daemon status' the daemon",
        "ls": "use 'offstage list'", "ps": "use 'offstage list'",
        "rm": "'offstage cancel' ends a transfer, and 'forget' removes it from the list",
        "remove": "'offstage cancel' ends a transfer, and 'forget' removes it from the list",
        "delete": "'offstage cancel' ends a transfer, and 'forget' removes it from the list",
        "kill": "'offstage cancel' ends a transfer, and 'daemon stop' the daemon",
        "abort": "use 'offstage cancel'", "get": "use 'offstage download'", "fetch": "use 'offstage download'",
        "put": "use 'offstage upload'", "send": "use 'offstage upload'",
        "log": "'offstage events' shows what happens, and 'daemon log' prints the daemon's log",
        "logs": "'offstage events' shows what happens, and 'daemon log' prints the daemon's log",
        "quit": "'offstage cancel' ends a transfer, 'app quit' an app, and 'daemon stop' the daemon",
        "exit": "'offstage cancel' ends a transfer, 'app quit' an app, and 'daemon stop' the daemon",
        "continue": "use 'offstage resume', or 'offstage retry' for what has failed",
        "restart":
            "'offstage retry' restarts a transfer, and 'daemon stop' ends the daemon, which the next command starts again",
        "info": "use 'offstage show'", "login": "use 'offstage account add'",
    ]

    /// The message about an incomplete or unknown name of a two-word command.
    private static func unfinished(_ words: [String]) -> String {
        let family = words[0]
        guard words.count > 1, !words[1].hasPrefix("-") else {
            return "'\(family)' is not a command by itself: another word must follow it"
        }
        let name = "\(family) \(words[1])".redactedControls
        switch name {
        case "daemon start":
            return
                "'\(name)' is not a command: the first command that needs the daemon starts it, such as 'offstage list'"
        case "daemon restart":
            return
                "'\(name)' is not a command: 'offstage daemon stop' ends the daemon, and the next command starts another"
        default:
            let seconds = commands.filter { $0.path.count > 1 && $0.path[0] == family }.map { $0.path[1] }
            let close = seconds.first { Spelling.areClose($0, words[1]) }
            return "'\(name)' is not a command\(close.map { " (did you mean '\(family) \($0)'?)" } ?? "")"
        }
    }

    private static func unknown(_ words: [String]) -> String {
        if let family = HelpText.family(Array(words.prefix(1)), commands) {
            return "offstage: \(unfinished(words)).\n\n\(family)"
        }
        let word = words[0]
        if let meant = Self.otherWords[word] {
            return "offstage: '\(word)' is not a command: \(meant). See 'offstage --help'."
        }
        let close = commands.map { $0.path[0] }.first { Spelling.areClose($0, word) }
        return
            "offstage: '\(word.redactedControls)' is not a command\(close.map { " (did you mean '\($0)'?)" } ?? ""). "
            + "See 'offstage --help'."
    }
}
