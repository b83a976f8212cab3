// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

@Suite struct FormUploadTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try TestFiles.makeDirectory(directory.path("d"))
        for (name, text) in [("a.jpg", "1"), ("b c.txt", "22"), ("x;y,\"z\\", "333"), ("page.html", "4444")] {
            try TestFiles.write(text, to: directory.path(name))
        }
    }

    private func upload(_ words: String...) throws -> (run: CommandRun, specs: [TransferSpec]) {
        let upload = try RecordedUpload(words + ["http://h/in"], directory: directory)
        return (upload.run, upload.specs)
    }

    private func form(_ spec: TransferSpec?) throws -> FormBody {
        guard case .form(let form)? = spec?.direction else { throw TestError("No form was handed over.") }
        return form
    }

    /// The parts as short lines: name, kind, file name, type.
    private func parts(_ arguments: String...) throws -> [String] {
        let words = arguments.flatMap { $0.hasPrefix("!") ? ["--form-string", String($0.dropFirst())] : ["-F", $0] }
        let run = try RecordedUpload(words + ["http://h/in"], directory: directory)
        #expect(run.run.status == .success, "\(run.run.errors)")
        return try form(run.specs.first).parts.map { part in
            let content =
                switch part.content {
                case .value(let value): "'\(value)'"
                case .file(let source): "@\(source.path.dropFirst(directory.path.count + 1)) \(source.identity.size)"
                }
            return [part.name, content, part.fileName.map { "as \($0)" }, part.contentType].compactMap(\.self)
                .joined(separator: "|")
        }
    }

    @Test func `a form is posted with the command's defaults`() throws {
        let (run, specs) = try upload("-F", "title=My photo", "-F", "photo=@a.jpg", "-H", "Content-Type: text/plain")
        #expect(run.status == .success)
        let spec = try #require(specs.first)
        #expect(specs.count == 1)
        #expect(spec.method == "POST")
        #expect(spec.url.unredacted == "http://h/in")
        #expect(spec.idempotencyKey?.count == 36)
        #expect(spec.headers == [.init(name: "Content-Type", value: try form(spec).contentType)])
        #expect(try upload("-F", "a=b", "-X", "PUT").specs[0].method == "PUT")
    }

    /// The expected meaning of each argument is the answer of curl 7.88 itself.
    @Test func `an argument means what it means to curl`() throws {
        #expect(try parts("a=b", "x=y=") == ["a|'b'", "x|'y='"])
        #expect(try parts("v=  x  ") == ["v|'x'"])
        #expect(try parts("v=\"  red; green, \" ;type=text/x") == ["v|'  red; green, '|text/x"])
        #expect(try parts("v=\"a\\\"b\\\\c\\d\"") == ["v|'a\"b\\c\\d'"])
        #expect(try parts("v=\"unended") == ["v|'\"unended'"])
        #expect(try parts("v=a,b") == ["v|'a,b'"])
        #expect(try parts("v=") == ["v|''"])
        #expect(try parts("v=a;filename=q.txt") == ["v|'a'|as q.txt|text/plain"])
        #expect(
            try parts("v=a;type=multipart/related;type=\"text/xml\"")
                == ["v|'a'|multipart/related;type=\"text/xml\""]
        )
        #expect(try parts("v=a;type=a/b;filename=x;type=c/d") == ["v|'a'|as x|c/d"])
        #expect(try parts("!v=@x;type=a/b", "!w= \"<\" ") == ["v|'@x;type=a/b'", "w|' \"<\" '"])
    }

    @Test func `a file is named as curl names it`() throws {
        #expect(try parts("f=@a.jpg") == ["f|@a.jpg 1|as a.jpg|image/jpeg"])
        #expect(try parts("f=@./b c.txt") == ["f|@./b c.txt 2|as b c.txt|text/plain"])
        #expect(try parts("f=@ \"b c.txt\" ") == ["f|@b c.txt 2|as b c.txt|text/plain"])
        #expect(
            try parts("f=@a.jpg;type=x/y; charset=utf-8;filename=z\"w")
                == ["f|@a.jpg 1|as z\"w|x/y; charset=utf-8"]
        )
        #expect(try parts("f=@a.jpg;type=x/y;a=b;;filename=z") == ["f|@a.jpg 1|as z|x/y;a=b"])
        #expect(try parts("f=@a.jpg;filename=;TYPE=a/b") == ["f|@a.jpg 1|as |a/b"])
        #expect(try parts("f=@a.jpg;filename=\"n;1,2.pdf\"") == ["f|@a.jpg 1|as n;1,2.pdf|application/pdf"])
        #expect(try parts("f=@a.jpg;filename=n.bin") == ["f|@a.jpg 1|as n.bin|image/jpeg"])
        #expect(
            try parts(#"f=@"x;y,\"z\\""#) == [#"f|@x;y,"z\ 3|as x;y,"z\|application/octet-stream"#]
        )
    }

    @Test func `several files of one name are parts of their own`() throws {
        #expect(
            try parts("f=@b c.txt,a.jpg;type=q/r,page.html;filename=zzz", "g=h") == [
                "f|@b c.txt 2|as b c.txt|text/plain", "f|@a.jpg 1|as a.jpg|q/r",
                "f|@page.html 4|as zzz|text/html", "g|'h'",
            ]
        )
    }

    @Test func `a field's text may be a file's`() throws {
        #expect(
            try parts("f=<b c.txt", "g=<page.html", "h=<a.jpg;type=a/b")
                == ["f|@b c.txt 2", "g|@page.html 4|text/html", "h|@a.jpg 1|a/b"]
        )
    }

    @Test func `the order is that of the command line`() throws {
        #expect(try parts("a=1", "!b=2", "c=@a.jpg", "!d=4").map { $0.first } == ["a", "b", "c", "d"])
    }

    @Test func `a snapshot is made of each file, and keeps its name`() throws {
        let spec = try #require(
            try upload("--snapshot", "-F", "a=@a.jpg", "-F", "b=@b c.txt", "-F", "t=<page.html").specs.first
        )
        let form = try form(spec)
        #expect(form.sources.map(\.isSnapshot) == [true, true, true])
        #expect(try form.sources.map { try TestFiles.text($0.path) } == ["1", "22", "4444"])
        #expect(form.parts.map(\.fileName) == ["a.jpg", "b c.txt", nil])
        #expect(form.parts.map(\.contentType) == ["image/jpeg", "text/plain", "text/html"])
        let failed = try upload("--snapshot", "-F", "a=@a.jpg", "-F", "b=@missing").run
        #expect(failed.status == .failure)
        #expect(try DirectoryTree.content(of: directory.path("h/snapshots")).files.count == 3)
    }

    @Test(arguments: [
        (["-F", "geheim"], 2, "-F takes NAME=VALUE") as ([String], Int32, String),
        (["-F", "=geheim"], 2, "needs a name"),
        (["-F", "v=geheim; green"], 2, "put \"…\" around a value"),
        (["-F", "v=geheim;"], 2, "put \"…\" around a value"),
        (["-F", "v=\"geheim\"x"], 2, "after the closing quote"),
        (["-F", "v=geheim;headers=\"X: y\""], 2, "headers= and encoder= are not supported"),
        (["-F", "f=@a.jpg;encoder=base64"], 2, "headers= and encoder= are not supported"),
        (["-F", "v=(geheim"], 2, "forms within forms are not supported"),
        (["-F", "f=@-"], 2, "standard input cannot be sent again later"),
        (["-F", "f=<-"], 2, "standard input cannot be sent again later"),
        (["-F", "f=@"], 2, "names no file"),
        (["-F", "f=@a.jpg,"], 2, "names no file"),
        (["-F", "f=<a.jpg;filename=x"], 2, "is not a file and takes no filename="),
        (["-F", "f=@a.jpg;type=text"], 2, "'text' is not a content type"),
        (["-F", "f=@a.jpg;type=multipart/related;type=text/xml"], 2, "'multipart/related;type=text/xml' is not a"),
        (["-F", "f=@a.jpg;type=\"a/b\""], 2, "is not a content type"),
        (["-F", "a\u{1}=geheim"], 2, "contains a control character"),
        (["-F", "f=@missing"], 1, "There is no file"),
        (["-F", "f=@d"], 1, "d is a directory: name the files of 'f' one by one"),
        (["-F", "f=@a.jpg", "b c.txt"], 2, "a form goes to one URL"),
        (["-F", "a=b", "--form-escape"], 2, "there is no option --form-escape"),
        (["--form-string", "geheim"], 2, "--form-string takes NAME=VALUE"),
    ])
    func `what cannot be sent is refused in a sentence without the value`(
        words: [String],
        code: Int32,
        part: String
    ) throws {
        let run = CommandRun(
            ["upload"] + words + ["http://h/in"],
            home: directory.path("none"),
            directory: directory.path
        )
        #expect(run.status.code == code)
        #expect(run.errors.contains(part), "\(run.errors)")
        #expect(!run.errors.contains("geheim"))
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test func `a form without a URL says so`() {
        let run = CommandRun(["upload", "-F", "a=b"], directory: directory.path)
        #expect(run.status == .usage)
        #expect(run.errors.contains("a form goes to one URL"))
    }

    // MARK: - What is shown

    private func detail(_ parts: FormBody.Part...) throws -> TransferDetail {
        var transfer = try Samples.transfer(7, .paused, upload: true)
        transfer.spec.direction = .form(FormBody(parts: parts))
        transfer.spec.setContentTypeOfForm()
        let row = TransferRow(
            transfer: transfer,
            reason: Reason(cause: .paused, since: noon),
            bytesDone: 0,
            bytesTotal: transfer.spec.body?.count,
            rate: 0
        )
        return TransferDetail(transfer: transfer, row: row, partialPath: nil)
    }

    private func file(_ path: String, isSnapshot: Bool = false) -> FormBody.Part.Content {
        let identity = FileIdentity(device: 1, inode: 2, size: 1_048_576, modified: 3)
        return .file(.init(path: path, identity: identity, isSnapshot: isSnapshot))
    }

    private func run(_ words: [String], _ detail: TransferDetail) throws -> CommandRun {
        let answers = [
            "show": try ScriptedPeer.reply(ShowTransfers.Reply(details: [detail])),
            "list": try ScriptedPeer.reply(ListTransfers.Reply(rows: [detail.row], hasMore: false, counts: [:])),
        ]
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, _ in
            name == Hello.name ? try ScriptedPeer.hello() : answers[name].map { [$0] } ?? [.close]
        }
        return withExtendedLifetime(peer) { CommandRun(words + ["--no-start"], home: directory.path("h")) }
    }

    @Test func `a form shows its parts and hides its values`() throws {
        let snapshot = "/home/me/snapshots/97349256-7574-4E82-97C8-772E6FF35AFC-b.png"
        let detail = try detail(
            .init(name: "password", content: .value("geheim")),
            .init(name: "photo", content: file("/home/me/a.jpg"), fileName: "x.jpg", contentType: "image/jpeg"),
            .init(name: "story", content: file("/home/me/story")),
            .init(name: "b\n", content: file(snapshot, isSnapshot: true), fileName: "b.png"),
            .init(name: "v", content: .value(""), fileName: "n.txt", contentType: "text/plain")
        )
        let shown = try run(["show", "7"], detail)
        #expect(shown.lines.contains("Form:         3 files, 2 fields"))
        let start = try #require(shown.lines.firstIndex(of: "Parts of the form:"))
        #expect(
            Array(shown.lines[(start + 1)...].prefix(5)) == [
                "  password: 6 B (the value is hidden)",
                "  photo: /home/me/a.jpg as x.jpg, image/jpeg, 1.00 MiB",
                "  story: /home/me/story, 1.00 MiB",
                "  b\u{FFFD}: \(snapshot) as b.png, 1.00 MiB (a snapshot)",
                "  v: as n.txt, text/plain, 0 B (the value is hidden)",
            ]
        )
        #expect(try run(["list"], detail).lines[1].contains("a.jpg, 2 more files, 2 fields → files.example"))
        #expect(try run(["why", "7"], detail).lines[0].contains("a.jpg, 2 more files, 2 fields"))
        let document = try JSONValue(parsing: try run(["show", "7", "--json"], detail).output).transfers[0]
        #expect(document.form.files.integer == 3)
        #expect(document.form.fields.integer == 2)
        #expect(document.path.string == "/home/me/a.jpg")
        #expect(document.parts[0].keys == ["bytes", "name"])
        #expect(document.parts[1].keys == ["bytes", "contentType", "fileName", "isSnapshot", "name", "path"])
        #expect(document.parts[3].isSnapshot.bool == true)
        for words in [["show", "7"], ["list"], ["why", "7"]] {
            for more in [[], ["--json"]] { #expect(!(try run(words + more, detail).output.contains("geheim"))) }
        }
    }

    @Test func `a form of one field says so and has no path`() throws {
        let detail = try detail(.init(name: "a", content: .value("b")))
        #expect(try run(["list"], detail).lines[1].contains(" 1 field → "))
        let document = try JSONValue(parsing: try run(["list", "--json"], detail).output).transfers[0]
        #expect(!document.keys.contains("path"))
        #expect(document.form.files.integer == 0)
    }

    @Test func `many parts are cut short`() throws {
        let parts = (0..<250).map { FormBody.Part(name: "n\($0)", content: .value("v")) }
        var transfer = try Samples.transfer(7, .paused, upload: true)
        transfer.spec.direction = .form(FormBody(parts: parts))
        let row = TransferRow(
            transfer: transfer,
            reason: Reason(cause: .paused, since: noon),
            bytesDone: 0,
            bytesTotal: nil,
            rate: 0
        )
        let shown = try run(["show", "7"], TransferDetail(transfer: transfer, row: row, partialPath: nil))
        #expect(shown.lines.contains("  n99: 1 B (the value is hidden)"))
        #expect(shown.lines.contains("  … and 150 more"))
    }

    @Test func `completion and help know the options`() throws {
        let help = CommandRun(["upload", "--help"])
        #expect(help.output.contains("-F, --form NAME=CONTENT"))
        #expect(help.output.contains("--form-string NAME=VALUE"))
        for shell in ["bash", "zsh", "fish"] {
            #expect(CommandRun(["completion", shell]).output.contains("form-string"))
        }
    }
}
