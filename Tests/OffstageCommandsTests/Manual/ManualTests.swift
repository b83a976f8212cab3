// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// The manual pages, as `offstage manual` writes them.
@Suite struct ManualTests {
    private static let mandoc = "/usr/bin/mandoc"
    private static var hasMandoc: Bool { access(mandoc, X_OK) == 0 }

    private func write(in folder: String, at seconds: String = "1764169445") -> CommandRun {
        CommandRun(["manual", folder], environment: ["SOURCE_DATE_EPOCH": seconds])
    }

    @Test func `there is a page for each command, and it names each option`() throws {
        let pages = Dictionary(uniqueKeysWithValues: ManualCommand.pages.map { ($0.file, $0) })
        for command in CommandLineTool.commands {
            let page = try #require(pages["man1/\((["offstage"] + command.path).joined(separator: "-")).1"])
            let text = page.mdoc(date: "November 26, 2025", version: "1.2.3")
            for option in command.options where !option.isHidden {
                for name in option.names { #expect(text.contains("Fl \(name.dropFirst())"), "\(page.name): \(name)") }
            }
            for example in command.examples { #expect(text.contains(MdocText.literal(example.line))) }
        }
        #expect(pages.count == CommandLineTool.commands.count + 5)
        for name in [
            "man1/offstage.1", "man1/offstage-fleet.1", "man5/offstage-settings.5", "man8/offstaged.8",
            "man8/offstage-notifier.8",
        ] {
            #expect(pages[name] != nil)
        }
    }

    @Test func `the page of the settings names every key`() {
        let text = ManualPage.settings.mdoc(date: "", version: "")
        for key in Settings.keys + DeferredWorkSettings.keys { #expect(text.contains(".It Cm \(key)\n"), "\(key)") }
    }

    @Test func `the files have the date that a build gives, and are the same each time`() throws {
        try TemporaryDirectory.with { directory in
            let run = write(in: directory.path)
            #expect(run.status == .success, "\(run.errors)")
            #expect(run.output == "\(ManualCommand.pages.count) pages in \(directory.path)\n")
            let first = try TestFiles.text(directory.path + "/man1/offstage-account-add.1")
            #expect(first.contains(".Dd November 26, 2025\n"))
            #expect(first.contains(".Os \"Offstage \(OffstageVersion.current)\"\n"))
            _ = write(in: directory.path)
            #expect(try TestFiles.text(directory.path + "/man1/offstage-account-add.1") == first)
        }
    }

    @Test func `what cannot be written or understood is told`() {
        #expect(write(in: "/proc/none").errors.contains("/proc/none/man1/offstage.1 cannot be written"))
        let late = write(in: "/nonexistent-offstage", at: "99999999999999999999")
        #expect(late.status == .usage && late.errors.contains("which is not a number of seconds"))
        #expect(CommandRun(["manual"]).status == .usage)
    }

    @Test func `neither help nor completion shows the command that writes them`() {
        #expect(!CommandRun(["--help"]).output.contains("\n  manual"))
        #expect(!CommandRun(["completion", "bash"]).output.contains("\"manual\""))
        #expect(CommandRun(["manual", "--help"]).output.contains("offstage manual FOLDER"))
    }

    @Test(.enabled(if: hasMandoc, "needs mandoc")) func `mandoc has nothing to say of any page`() throws {
        try TemporaryDirectory.with { directory in
            #expect(write(in: directory.path).status == .success)
            // mandoc looks up the pages that other pages refer to in the manual's index.
            for (program, words) in [
                ("/usr/sbin/makewhatis", [directory.path]),
                (Self.mandoc, ["-Tlint", "-Wstyle"] + ManualCommand.pages.map(\.file)),
            ] {
                let result = try ChildProcess.run(
                    program,
                    words,
                    environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MANPATH": directory.path],
                    directory: directory.path
                )
                #expect(result.output + result.errors == "")
                #expect(result.isSuccess)
            }
        }
    }

    @Test(.enabled(if: hasMandoc, "needs mandoc")) func `a page reads as help does`() throws {
        try TemporaryDirectory.with { directory in
            #expect(write(in: directory.path).status == .success)
            let result = try ChildProcess.run(
                Self.mandoc,
                ["-Tascii", "-O", "width=100", directory.path + "/man1/offstage-upload.1"]
            )
            // Without the overstrikes that make letters bold, and with single spaces.
            let text = result.output.replacing(#/.\u{8}/#, with: "").split { $0.isWhitespace }.joined(separator: " ")
            #expect(text.contains("offstage upload [OPTION...] FILE... s3://BUCKET/KEY"))
            #expect(text.contains("-X, --request METHOD"))
            #expect(text.contains("offstage upload backup.tar https://files.example/in/"))
            #expect(text.contains("send files to a URL, an account, S3 or Google Cloud Storage"))
        }
    }
}
