// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageTestSupport
import Testing

@Suite struct CompletionTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Runs a shell on a script and returns what it prints.
    private func run(_ shell: String, _ arguments: [String]) throws -> CommandResult {
        try ChildProcess(shell, arguments, environment: ["PATH": "/usr/bin:/bin"], directory: directory.path).result(
            within: 20
        )
    }

    private func script(_ shell: String) throws -> String {
        let path = directory.path("offstage.\(shell)")
        let made = CommandRun(["completion", shell])
        #expect(made.status == .success)
        try TestFiles.write(made.output, to: path)
        return path
    }

    @Test func `bash takes the script`() throws {
        let result = try run("/bin/bash", ["-n", script("bash")])
        #expect(result.isSuccess, "\(result)")
    }

    @Test(arguments: [
        (["offstage", "up"], "upload"),
        (["offstage", "daemon", ""], "status stop log"),
        (["offstage", "daemon", "log", "--l"], "--lines"),
        (["offstage", "list", "--state", "w"], "waiting"),
        (["offstage", "upload", "--priority", ""], "low normal high"),
        (["offstage", "header", ""], "set"),
        (["offstage", "completion", "z"], "zsh"),
        (["offstage", "app", "l"], "list log launch"),
        (["offstage", "app", "quit", "--keep"], "--keep-transfers"),
        (["offstage", "account", ""], "add list show remove"),
        (["offstage", "account", "add", "d"], "dropbox"),
        (["offstage", "account", "add", "--app"], "--app-key"),
        (["offstage", "tasks", ""], "forecast cancel"),
        (["offstage", "tasks", "--his"], "--history"),
        (["offstage", "tasks", "forecast", "--f"], "--for"),
        (["offstage", "simulate", "l"], "launch"),
        (["offstage", "condition", "s"], "set"),
        (["offstage", "condition", "clear", "p"], "power"),
    ])
    func `bash completes`(words: [String], replies: String) throws {
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let result = try run(
            "/bin/bash",
            [
                "-c",
                "source \(script("bash")); COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1); _offstage; echo \"${COMPREPLY[*]}\"",
            ]
        )
        #expect(result.output == replies + "\n", "\(result)")
    }

    @Test(arguments: [
        (["offstage-fleet", "pru"], "prune"), (["offstage-fleet", "grant", "v"], "viewer"),
        (["offstage-fleet", "list", "--state", "le"], "leased"), (["offstage-fleet", "upload", "--onc"], "--once"),
    ])
    func `bash completes the program of fleets`(words: [String], replies: String) throws {
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let text = """
            source \(try script("bash")); COMP_WORDS=(\(quoted)) COMP_CWORD=\(words.count - 1)
            $(complete -p offstage-fleet | sed 's/.*-F \\([^ ]*\\).*/\\1/') ; echo "${COMPREPLY[*]}"
            """
        let result = try run("/bin/bash", ["-c", text])
        #expect(result.output == replies + "\n", "\(result)")
    }

    @Test(.enabled(if: access("/usr/bin/zsh", X_OK) == 0, "zsh is not installed"))
    func `zsh takes the script`() throws {
        let result = try run("/usr/bin/zsh", ["-n", script("zsh")])
        #expect(result.isSuccess, "\(result)")
    }

    @Test(.enabled(if: access("/usr/bin/fish", X_OK) == 0, "fish is not installed"))
    func `fish takes the script`() throws {
        let result = try run("/usr/bin/fish", ["-n", script("fish")])
        #expect(result.isSuccess, "\(result)")
    }

    /// A footer of the list also begins with a number.
    @Test(arguments: ["bash", "zsh", "fish"]) func `numbers are asked for alone`(shell: String) {
        let text = CommandRun(["completion", shell]).output
        #expect(text.contains("offstage list --no-start --quiet --limit 50") && !text.contains("awk"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `every option of every command is in the script`(shell: String) {
        let text = CommandRun(["completion", shell]).output
        for command in CommandLineTool.commands {
            for option in command.options where !option.isHidden {
                let name = shell == "fish" ? " -l \(option.names[0].dropFirst(2))" : option.names[0]
                #expect(text.contains(name))
            }
        }
    }

    @Test(
        arguments: [
            ("upload dir/sub/dee", ["dir/sub/deep dir"]), ("upload 'dir/sub/dee", ["dir/sub/deep dir"]),
            ("upload dir/sub/deep\\ d", ["dir/sub/deep dir"]), ("upload dir/sub/a", ["dir/sub/a b", "dir/sub/a c"]),
            ("download --output-dir dir/sub/dee", ["dir/sub/deep dir"]),
            ("download -o dir/sub/a", ["dir/sub/a b", "dir/sub/a c"]),
        ]
    )
    func `bash completes names with spaces as one`(line: String, replies: [String]) throws {
        for name in ["dir", "dir/sub", "dir/sub/deep dir"] { try TestFiles.makeDirectory(directory.path(name)) }
        for name in ["dir/sub/a b", "dir/sub/a c"] { try TestFiles.write("", to: directory.path(name)) }
        // As bash passes them: words as typed, including quotes.
        let words = (["offstage"] + line.split(separator: " ").map(String.init)).reduce(into: [String]()) {
            words,
            word in
            if words.last?.hasSuffix("\\") == true { words[words.count - 1] += " " + word } else { words.append(word) }
        }
        let array = words.map { "$'" + $0.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'" }
        let text = """
            offstage() { :; }
            source '\(try script("bash"))'
            cd '\(directory.path)'
            COMP_WORDS=(\(array.joined(separator: " "))) COMP_CWORD=\(words.count - 1)
            _offstage
            # Without this option Readline puts no backslash before a space of a name, and cuts the name there.
            case "$(complete -p offstage)" in *"-o filenames "*) printf '%s\\n' "${COMPREPLY[@]}" ;; esac
            """
        let result = try run("/bin/bash", ["-c", text])
        #expect(result.output.split(separator: "\n").map(String.init).sorted() == replies, "\(result)")
    }
}
