// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageTestSupport
import Testing

/// What `offstage` itself does for a fleet: it parses, and becomes `offstage-fleet`.
@Suite struct FleetCommandTests {
    @Test(
        arguments: [
            (
                ["fleet", "init", "postgresql://u:hunter2@db/x", "--json"], ["init", "--json"],
                "postgresql://u:hunter2@db/x"
            ),
            (
                ["fleet", "use", "--fingerprint", "f", "host=/run/x dbname=y"], ["use", "--fingerprint", "f"],
                "host=/run/x dbname=y"
            ),
            (["fleet", "list", "--state", "done"], ["list", "--state", "done"], nil),
            (
                ["upload", "--fleet", "/a", "https://b.example/"], ["upload", "--fleet", "/a", "https://b.example/"],
                nil
            ),
        ] as [([String], [String], String?)]
    )
    func `an address goes over in the environment, and no password in the words`(
        words: [String],
        given: [String],
        database: String?
    ) throws {
        let command = try #require(try CommandLineTool.parse(words))
        let order = FleetProgram.order(words, of: command, ["PATH": "/bin"])
        #expect(order.words == given)
        #expect(order.environment["OFFSTAGE_FLEET_DATABASE"] == database && order.environment["PATH"] == "/bin")
    }

    @Test func `the command becomes the program, with its words, its input and its exit status`() throws {
        try TemporaryDirectory.with { folder in
            let script = """
                #!/bin/sh
                echo "$0 $* [$OFFSTAGE_FLEET_DATABASE] $(cat)"
                tr '\\0' ' ' </proc/$$/cmdline
                exit 4
                """
            try TestFiles.write(Array(script.utf8), to: folder.path("program"), mode: 0o755)
            let process = try ChildProcess(
                BuiltProducts.path("offstage"),
                ["fleet", "init", "postgresql://u:hunter2@db/x"],
                environment: ["OFFSTAGE_FLEET": folder.path("program"), "PATH": "/usr/bin:/bin", "HOME": folder.path],
                input: Array("in".utf8)
            )
            let result = try process.result(within: 20)
            #expect(result.status == .exited(4), "\(result)")
            let program = folder.path("program")
            #expect(result.output.contains("\(program) init [postgresql://u:hunter2@db/x] in\n"), "\(result)")
            #expect(result.output.contains("/bin/sh \(program) init"))
            #expect(!result.output.split(separator: "\n").dropFirst().joined().contains("hunter2"))
        }
    }

    @Test func `a program that is not there is named`() throws {
        let result = try ChildProcess(
            BuiltProducts.path("offstage"),
            ["fleet", "list"],
            environment: ["OFFSTAGE_FLEET": "/nonexistent/program", "HOME": "/nonexistent"]
        ).result(within: 20)
        #expect(result.errors == "offstage: OFFSTAGE_FLEET is /nonexistent/program, which cannot be run: unset it.\n")
    }

    @Test(arguments: [
        (["fleet"], "'fleet' is not a command by itself"), (["fleet", "lst"], "did you mean 'fleet list'?"),
        (["fleet", "init", "db.example"], "'db.example' is not the URL of a database"),
        (["fleet", "init", "a=b", "c=d"], "words of libpq go between quotes"),
        (["fleet", "grant", "king", "ann"], "'king' is not a role"),
        (["fleet", "grant", "viewer"], "name a role and a login"),
        (["fleet", "list", "--state", "lost"], "'lost' is not a state"),
        (["fleet", "show"], "'offstage fleet list' shows them"), (["fleet", "show", "x"], "'x' is not a row's number"),
        (["fleet", "pause", "--queue", "a b"], "cannot be the name of a queue"),
        (["fleet", "pause", "7", "--all"], "name rows, or give --all, or --queue"),
        (["fleet", "cancel", "--queue", "x"], "there is no option --queue"),
        (["fleet", "limit", "files.example"], "give a server and a number"),
        (["fleet", "limit", "files.example", "many"], "'many' is not a number"),
        (["fleet", "rules", "x", "{\"hours\":1}"], "are no rules"), (["fleet", "restored"], "give --yes"),
        (["fleet", "outcomes", "-n", "0"], "a number from 1 to 1000"),
        (["fleet", "outcomes", "a b"], "is not the name"),
        (["fleet", "status", "x"], "'x' is unexpected here"),
        (["fleet", "prune", "--older", "soon"], "'soon' is not a time"),
        (["fleet", "watch", "--every", "0"], "a time from 0.5s"),
    ]) func `a line that makes no sense starts nothing`(words: [String], part: String) {
        let run = CommandRun(words)
        #expect(run.status == .usage && run.errors.contains(part), "\(run.errors)")
    }

    @Test func `programs that are for something else say so`() {
        #expect(CommandRun(["fleet", "list"]).errors.contains("use 'offstage fleet'"))
    }
}
