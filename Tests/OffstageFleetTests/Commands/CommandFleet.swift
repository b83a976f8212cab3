// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageFleet
import OffstageTestSupport

/// A fleet on its own server, with a login for each role, whose commands run in this process.
final class CommandFleet {
    struct Run {
        let status: OffstageCommands.ExitStatus
        let output: String
        let errors: String
        var lines: [String] { output.split(separator: "\n").map(String.init) }

        /// One line; empty if there are fewer.
        func line(_ index: Int) -> String { lines.indices.contains(index) ? lines[index] : "" }

        /// The output as JSON.
        func json() throws -> JSONValue { try JSONValue(parsing: output) }
    }

    let server: PostgresServer
    let folder: TemporaryDirectory
    /// A connection as the server's own user.
    let owner: DatabaseTalk

    /// - Parameter isSetUp: whether `fleet init` has run, and the logins ann and bob (submitters), vic (viewer), olga
    /// (operator) and mem (member) exist.
    /// - Throws: `TestError`.
    init(isSetUp: Bool = true) throws {
        server = try PostgresServer()
        folder = try TemporaryDirectory()
        owner = try DatabaseTalk(server.words())
        guard isSetUp else { return }
        let made = run(["fleet", "init"])
        guard made.status == .success else { throw TestError("init: \(made.errors)") }
        for (role, login) in [
            ("submitter", "ann"), ("submitter", "bob"), ("viewer", "vic"), ("operator", "olga"), ("member", "mem"),
        ] {
            let granted = run(["fleet", "grant", "--create", role, login])
            guard granted.status == .success else { throw TestError("grant: \(granted.errors)") }
        }
    }

    /// Runs a command line.
    ///
    /// - Parameters:
    ///   - words: the words after `offstage`.
    ///   - login: the login whose address is in the environment; it has its own `OFFSTAGE_HOME`.
    ///   - input: standard input.
    ///   - environment: further variables, which override the others.
    ///   - columns: the width of the terminal; 0 for no terminal.
    ///   - keyboard: a descriptor from which keys are read.
    /// - Returns: its output and its status.
    func run(
        _ words: [String],
        as login: String = "postgres",
        input: String = "",
        environment: [String: String] = [:],
        columns: Int = 0,
        keyboard: Int32 = -1
    ) -> Run {
        let output = Output(capturedColumns: columns)
        let all = ["OFFSTAGE_HOME": home(login), "OFFSTAGE_FLEET_DATABASE": server.words(login)]
            .merging(environment) { $1 }
        let status = CommandLineTool.run(words, output: output) { printsJSON, startsDaemon in
            CommandContext(
                environment: all,
                workingDirectory: folder.path,
                output: output,
                printsJSON: printsJSON,
                startsDaemon: startsDaemon,
                readInput: { Array(input.utf8) },
                readLine: { input.split(separator: "\n").first.map(String.init) },
                keyboard: { keyboard },
                fleet: FleetContext.carryOut
            )
        }
        return Run(status: status, output: output.printed, errors: output.complained)
    }

    func home(_ login: String) -> String { folder.path("home-\(login)") }

    /// Creates a file with as many bytes as its name has; returns its path.
    func file(_ name: String) throws -> String {
        let path = folder.path(name)
        try TestFiles.write(name, to: path)
        return path
    }

    /// Submits files of these names as a login, to `https://files.example/in/`.
    @discardableResult
    func submit(_ names: [String], as login: String = "ann", _ options: [String] = []) throws -> [Int64] {
        let words = ["upload", "--fleet", "--json"] + options + (try names.map(file)) + ["https://files.example/in/"]
        let run = run(words, as: login)
        guard run.status == .success else { throw TestError("submit: \(run.errors)") }
        return try run.json()["ids"].array.compactMap { $0.integer.map(Int64.init) }
    }

    /// The state of a row; nil if it does not exist.
    func state(_ id: Int64) throws -> String? {
        try run(["fleet", "show", "--json", "\(id)"]).json()["rows"][0]["state"].string
    }

    /// A member that sends SQL by hand, and leases rows.
    func lease(_ count: Int, as name: String = "nas-1", labels: [String] = []) throws -> (DatabaseTalk, [String?]) {
        let talk = try DatabaseTalk(server.words("mem"))
        let joined = try talk.ask(
            "SELECT member, incarnation FROM offstage.join_fleet($1, $2, 0::smallint, 1, '1.2.3')",
            [name, "{\(labels.joined(separator: ","))}"]
        )
        let me = [joined.first?.raw("member"), joined.first?.raw("incarnation")]
        _ = try talk.ask("SELECT id FROM offstage.turn($1, $2, 1, 30, 0, $3, 0)", me + ["\(count)"])
        return (talk, me)
    }
}
