// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageTestSupport
import Testing

/// `--dry-run` and `--skip-existing`: no daemon answers here, so any hand-over fails.
@Suite struct RehearsalTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try TestFiles.write("old", to: directory.path("old"))
        try TestFiles.write("12345", to: directory.path("five"))
    }

    private func run(_ words: String...) -> CommandRun { run(words) }

    private func run(_ words: [String]) -> CommandRun {
        CommandRun(words + ["--no-start"], home: directory.path("h"), directory: directory.path)
    }

    @Test func `a rehearsal says what would be handed over`() throws {
        let upload = run("upload", "--dry-run", "--snapshot", "old", "five", "https://u:secret@h/in/?sig=secret")
        #expect(upload.status == .usage || upload.status == .success)
        let plain = run("upload", "--dry-run", "--snapshot", "-u", "me:secret", "old", "five", "https://h/in/")
        #expect(plain.status == .success, "\(plain.errors)")
        #expect(
            plain.lines == [
                "Would send \(directory.path("old")) (3 B) to https://h/in/old",
                "Would send \(directory.path("five")) (5 B) to https://h/in/five",
                "2 transfers, 8 B: nothing was handed over.",
            ]
        )
        #expect(!(upload.output + upload.errors + plain.output).contains("secret"))
        #expect(!TestFiles.exists(directory.path("h/snapshots")))
        let form = run("upload", "--dry-run", "-F", "a=b", "-F", "f=@five", "https://h/add")
        #expect(form.lines.first?.contains("a form with 1 field and 1 file") == true, "\(form.output)\(form.errors)")
        let download = run("download", "--dry-run", "--create-dirs", "-o", "new/dir/x", "https://h/x")
        #expect(download.lines.first == "Would fetch https://h/x to \(directory.path("new/dir/x"))")
        #expect(!TestFiles.exists(directory.path("new")))
    }

    @Test func `a rehearsal says when and how`() throws {
        let sum = "sha256:" + String(repeating: "a", count: 64)
        let words = [
            "download", "--begin", "+20h", "--after", "7-9", "--limit-rate", "500k", "--checksum", sum, "https://h/x",
        ]
        let text = run(words + ["--dry-run"])
        let begin = noon.addingTimeInterval(20 * 3600)
        let expected =
            "Would fetch https://h/x to \(directory.path("x")), not before \(Format.fullTime(begin)), after transfers 7–9, at most 500 KiB/s, only if it is \(sum)"
        #expect(text.lines.first == expected, "\(text.output)\(text.errors)")
        let json = try JSONValue(parsing: run(words + ["--dry-run", "--json"]).output)
        #expect(json.transfers[0].after[2].integer == 9)
        #expect(json.transfers[0].rateLimit.integer == 512_000)
        #expect(json.transfers[0].checksum.string == sum)
        #expect(
            json.transfers[0].keys == [
                "after", "checksum", "direction", "earliestBegin", "path", "rateLimit", "url",
            ]
        )
        let past = run("download", "--dry-run", "--begin", "2020-01-01", "https://h/x")
        #expect(past.lines.first == "Would fetch https://h/x to \(directory.path("x"))")
        #expect(past.errors == "offstage: --begin 2020-01-01 00:00 is in the past: the transfer does not wait.\n")
    }

    @Test func `a rehearsal finds mistakes`() {
        for words in [
            ["download", "--dry-run", "-o", "old", "https://h/x"], ["upload", "--dry-run", "none", "https://h/in/"],
            ["download", "--dry-run", "ftp://h/x"], ["download", "--dry-run", "-o", "no/dir/x", "https://h/x"],
        ] {
            let run = CommandRun(words + ["--no-start"], home: directory.path("h"), directory: directory.path)
            #expect(run.status != .success)
            #expect(run.errors.hasPrefix("offstage"))
        }
    }

    @Test func `a rehearsal has a JSON form`() throws {
        let run = run("upload", "--dry-run", "--json", "five", "https://h/in/")
        let json = try JSONValue(parsing: run.output)
        #expect(json.transfers[0].url.string == "https://h/in/five")
        #expect(json.transfers[0].bytesTotal.integer == 5)
        #expect(json.transfers[0].direction.string == "upload")
    }

    @Test func `what is there already is left out`() throws {
        let one = run("download", "--dry-run", "--skip-existing", "https://h/old", "https://h/new")
        #expect(one.status == .success)
        #expect(one.lines.first == "Would fetch https://h/new to \(directory.path("new"))")
        #expect(one.errors.contains("\(directory.path("old")): already there, skipped."))
        // All files exist: there is nothing to do, and no daemon is asked.
        let all = run("download", "--skip-existing", "https://h/old")
        #expect(all.status == .success, "\(all.errors)")
        #expect(run("download", "--skip-existing", "--detach", "--json", "https://h/old").output.contains("[]"))
        let followed = try JSONValue(parsing: run("download", "--skip-existing", "--json", "https://h/old").output)
        #expect(followed.transfers.array.isEmpty)
        #expect(run("download", "--skip-existing", "--force", "https://h/old").status == .usage)
    }
}
