// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageProtocol
import OffstageTestSupport
import Testing

/// `offstage app bundle`, with real files.
@Suite struct AppBundleTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try TestFiles.write(Array("\u{7F}ELF one".utf8), to: directory.path("dropoff"), mode: 0o755)
        try TestFiles.write(Self.plist(executable: "dropoff"), to: directory.path("Info.plist"))
    }

    private static func plist(executable: String? = nil, identifier: String? = "com.example.dropoff") -> String {
        func pair(_ key: String, _ value: String?) -> String {
            value.map { "<key>\(key)</key><string>\($0)</string>" } ?? ""
        }
        let pairs = pair("CFBundleExecutable", executable) + pair("CFBundleIdentifier", identifier)
        return "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(pairs)<key>A</key><dict></dict></dict></plist>"
    }

    private func run(_ words: String...) -> CommandRun {
        let all = ["app", "bundle", "dropoff", "--plist", "Info.plist"] + words
        return CommandRun(all, directory: directory.path)
    }

    /// No temporary folder is ever left behind.
    private var names: [String] { TestFiles.names(in: directory.path).sorted() }

    @Test func `an executable and its Info.plist become a folder, without a second copy of the executable`() throws {
        let run = run()
        #expect(run.status == .success, "\(run.errors)")
        let app = directory.path("dropoff.app")
        #expect(run.output == "Made \(app); 'offstage app install \(app)' registers it.\n")
        #expect(TestFiles.names(in: app).sorted() == ["Info.plist", "dropoff"])
        var (one, other) = (stat(), stat())
        #expect(stat(app + "/dropoff", &one) == 0 && stat(directory.path("dropoff"), &other) == 0)
        #expect(one.st_ino == other.st_ino)
        #expect(try TestFiles.text(app + "/Info.plist") == Self.plist(executable: "dropoff"))
        #expect(names == ["Info.plist", "dropoff", "dropoff.app"])
    }

    @Test func `one that is there is replaced only by force`() throws {
        #expect(run().status == .success)
        let refused = run()
        #expect(refused.status == .failure)
        #expect(refused.errors.contains("already exists: --force replaces it."))
        try TestFiles.write(
            Self.plist(executable: "dropoff", identifier: "com.example.new"),
            to: directory.path("Info.plist")
        )
        let forced = run("--force", "--json")
        let document = try JSONValue(parsing: forced.output)
        #expect(document.keys == ["app", "executable", "isLinked", "path"])
        #expect(forced.output.contains("com.example.new"))
        #expect(try TestFiles.text(directory.path("dropoff.app/Info.plist")).contains("com.example.new"))
        #expect(names == ["Info.plist", "dropoff", "dropoff.app"])
    }

    @Test func `a folder that is no app is not replaced by force`() throws {
        try TestFiles.makeDirectory(directory.path("dropoff.app"))
        try TestFiles.write("mine", to: directory.path("dropoff.app/letter"))
        let run = run("--force")
        #expect(run.status == .failure)
        #expect(run.errors.contains("is not an app, so it is not replaced"))
        #expect(try TestFiles.text(directory.path("dropoff.app/letter")) == "mine")
    }

    @Test func `it is put where it is wanted`() throws {
        #expect(run("--output", "apps").errors.contains("There is no folder"))
        try TestFiles.makeDirectory(directory.path("apps"))
        #expect(run("--output", "apps").status == .success)
        #expect(TestFiles.exists(directory.path("apps/dropoff.app/dropoff")))
    }

    @Test(arguments: [nil, "$(EXECUTABLE_NAME)", "${PRODUCT_NAME}"] as [String?])
    func `what the Info.plist leaves open is filled in`(executable: String?) throws {
        let identifier = executable == nil ? nil : "$(PRODUCT_BUNDLE_IDENTIFIER)"
        try TestFiles.write(
            Self.plist(executable: executable, identifier: identifier),
            to: directory.path("Info.plist")
        )
        let run = run("--identifier", "com.example.other")
        #expect(run.status == .success, "\(run.errors)")
        let text = try TestFiles.text(directory.path("dropoff.app/Info.plist"))
        #expect(text.contains("com.example.other") && text.contains("<string>dropoff</string>") && !text.contains("$"))
    }

    @Test(arguments: [
        (plist(executable: "other"), "is for 'other' (CFBundleExecutable), and the executable is 'dropoff'."),
        (plist(identifier: nil), "has no CFBundleIdentifier: write it there, or give it with --identifier."),
        (plist(identifier: "a/b"), "cannot be an app's"), (plist(identifier: "command"), "cannot be an app's"),
        ("{}", "is not an app's property list"), ("", "is not an app's property list"),
    ])
    func `a wrong Info.plist is refused, and nothing is made`(plist: String, sentence: String) throws {
        try TestFiles.write(plist, to: directory.path("Info.plist"))
        let run = run()
        #expect(run.status == .failure)
        #expect(run.errors.contains(sentence), "\(run.errors)")
        #expect(names == ["Info.plist", "dropoff"])
    }

    @Test func `what is no program is refused`() throws {
        try TestFiles.write(Array("#!/bin/sh".utf8), to: directory.path("dropoff"), mode: 0o755)
        #expect(run().errors.contains("is a script"))
        try TestFiles.write(Array("\u{7F}ELF".utf8), to: directory.path("dropoff"), mode: 0o644)
        chmod(directory.path("dropoff"), 0o644)
        #expect(run().errors.contains("is not an executable file"))
        unlink(directory.path("dropoff"))
        #expect(run().errors.contains("There is no executable"))
    }

    @Test(arguments: [
        (["app", "bundle"], "name an executable"), (["app", "bundle", "a"], "give its Info.plist with --plist FILE"),
        (["app", "bundle", "a", "b", "--plist", "c"], "'b' is one too many"),
    ])
    func `a command line that lacks something ends with 2`(words: [String], part: String) {
        let run = CommandRun(words)
        #expect(run.status == .usage)
        #expect(run.errors.contains(part), "\(run.errors)")
    }
}
