// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

@Suite struct CommandLineToolTests {
    @Test func `the version is printed alone`() {
        #expect(CommandRun(["--version"]).output == "offstage \(OffstageVersion.current)\n")
        #expect(CommandRun(["--version", "--json"]).output == "{\"version\":\"\(OffstageVersion.current)\"}\n")
    }

    @Test func `help names every command and every exit status`() {
        let text = CommandRun(["--help"]).output
        for command in CommandLineTool.commands { #expect(text.contains("  \(command.path.joined(separator: " ")) ")) }
        for (status, meaning) in ExitStatus.table { #expect(text.contains("\(status.code)") && text.contains(meaning)) }
        #expect(CommandRun(["help"]).output == text)
    }

    @Test func `every command explains itself with all its options and an example`() {
        for command in CommandLineTool.commands {
            let run = CommandRun(command.path + ["--help"])
            #expect(run.status == .success)
            #expect(run.output.hasPrefix(command.summary))
            #expect(!command.examples.isEmpty)
            #expect(run.output.contains("Usage:\n  offstage \(command.path.joined(separator: " "))"))
            for option in command.options where !option.isHidden { #expect(run.output.contains(option.names[0])) }
            #expect(run.output == CommandRun(["help"] + command.path).output)
            #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 120 })
            for example in command.examples {
                #expect(example.line.contains("offstage \(command.path.joined(separator: " "))"))
            }
        }
    }

    private static let senseless: [([String], String)] = [
        ([], "Usage: offstage COMMAND"),
        (["downlod"], "'downlod' is not a command (did you mean 'download'?)"),
        (["stop"], "'cancel' ends it, and 'daemon stop' ends the daemon"), (["ls"], "use 'offstage list'"),
        (["frobnicate"], "'frobnicate' is not a command. See 'offstage --help'."),
        (["daemon"], "offstage daemon status"),
        (["daemon", "start"], "offstage daemon status"),
        (["daemon"], "offstage: 'daemon' is not a command by itself"),
        (["daemon", "start"], "'daemon start' is not a command: the first command that needs the daemon starts it"),
        (["daemon", "restart"], "'offstage daemon stop' ends the daemon, and the next command starts another"),
        (["daemon", "stoop"], "'daemon stoop' is not a command (did you mean 'daemon stop'?)"),
        (["daemon"], "  offstage daemon log     Print"),
        (["quit"], "'offstage cancel' ends a transfer, 'app quit' an app"),
        (["continue"], "use 'offstage resume'"),
        (["limit", "-1"], "there is no option -1, and no number here is negative"),
        (["change", "7", "--limit-rate", "2M"], "'offstage limit ID SPEED'"),
        (["change", "7", "--proxy", "http://p:1"], "hand it over again with another"),
        (["change", "7", "--after", "3"], "'offstage retry ID' starts it without"),
        (["change", "7", "-H", "A: b"], "'offstage header set ID HEADER'"),
        (["list", "--nope"], "there is no option --nope"),
        (["list", "--state", "lost"], "'lost' is not a state"),
        (["list", "--limit", "0"], "--limit takes a number from 1"),
        (["show"], "name a transfer's number"),
        (["show", "abc"], "'abc' is not a transfer's number"),
        (["pause"], "name a transfer's number, or give --all"),
        (["pause", "5-3"], "'5-3' runs backwards: write 3-5"),
        (["cancel", "2990,2991"], "separate several with spaces (2990 2991)"),
        (["show", "1-200000"], "names more than 100000 transfers"),
        (["cancel", "--all", "7"], "not both"),
        (["limit", "fast"], "'fast' is not a speed"), (["limit", "7"], "'offstage show 7' shows a transfer"),
        (["limit", "3", "1023"], "write 1023k or 1023M, or 1023B if you mean it. See"),
        (["limit", "7-9", "2M"], "a limit is set for one transfer at a time"),
        (["limit", "1", "7"], "write 7k or 7M, or 7B if you mean it. See"),
        (["limit", "1234"], "'1234' could be a transfer's number: write 1234B to limit all transfers"),
        (["limit", "999999"], "or 'offstage limit 999999 SPEED' to limit that one"),
        (["header", "set", "7"], "give a transfer's number and a header"),
        (["header", "set", "7-8", "A: b"], "one transfer at a time"),
        (["completion", "tcsh"], "name the shell"),
        (["watch"], "the table needs a terminal"),
        (["tasks", "forcast"], "'forcast' is unexpected here"),
        (["tasks", "forecast", "--for", "soon"], "'soon' is not a duration"),
        (["tasks", "cancel"], "name a task; 'offstage tasks' shows them"),
        (["tasks", "cancel", "a", "b"], "'b' is one too many: name one task"),
        (["simulate"], "offstage simulate launch"),
        (["simulate", "expire"], "name a task"),
        (["simulate", "advance", "-5"], "there is no option -5"),
        (["simulate", "advance", "500d"], "name one duration"),
        (["condition", "set"], "name what to pretend"),
        (["condition", "set", "network"], "'network' has no value"),
        (["condition", "set", "network=slow"], "'slow' is not a network"),
        (["condition", "set", "battery=101%"], "'101%' is not a charge"),
        (
            ["condition", "set", "wind=high"],
            "'wind' is not a condition; choose from network, power, battery, load, disk"
        ),
        (["account"], "offstage account add"),
        (["account", "add"], "name the service: dropbox"),
        (["account", "add", "box"], "'box' is not a known service: use dropbox"),
        (["account", "add", "dropbox", "--name", "a:b"], "'a:b' cannot be an account's name"),
        (["account", "add", "dropbox", "--app-key", "a b"], "'a b' is not an app key"),
        (["account", "add", "dropbox", "--port", "70000"], "'70000' is not a port"),
        (["account", "add", "dropbox", "--api-url", "http://far.example"], "plain http to another machine"),
        (["account", "show"], "name an account"),
        (["account", "remove", "a", "b"], "'b' is one too many: name one account"),
        (["condition", "clear", "wind"], "'wind' is not a condition"),
    ]

    @Test(arguments: senseless)
    func `a command line that makes no sense ends with 2 and one sentence`(words: [String], part: String) {
        let run = CommandRun(words)
        #expect(run.status == .usage)
        #expect(run.errors.contains(part), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test func `a home that cannot be used is named`() {
        let run = CommandRun(["list"], home: "relative")
        #expect(run.status == .failure)
        #expect(run.errors.contains("OFFSTAGE_HOME is 'relative'"))
        let long = CommandRun(["list"], home: "/tmp/" + String(repeating: "x", count: 120))
        #expect(long.errors.contains("Linux allows 107"))
    }

    @Test func `the written list of exit codes is the one that is printed`() throws {
        let file = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let text = try TestFiles.text("/\(file)/docs/exit-codes.md")
        for (status, meaning) in ExitStatus.table { #expect(text.contains("| \(status.code) | \(meaning)")) }
    }

    @Test func `the written list of commands names every command`() throws {
        let file = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let lines = try TestFiles.text("/\(file)/docs/commands.md").split(separator: "\n")
        let names = lines.filter { $0.hasPrefix("| `") }.map { $0.split(separator: " | ")[0] }
        for command in CommandLineTool.commands {
            // The first row of a family has all words of the command, and the others only the last.
            let (first, last) = (command.path[0], command.path[command.path.count - 1])
            let isNamed = names.contains {
                $0.contains("`\(first)") && ($0.contains("`\(last)") || $0.contains(" \(last)"))
            }
            #expect(isNamed, "docs/commands.md does not name \(command.path.joined(separator: " "))")
        }
    }
}
