// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageSupervisor
import OffstageTestSupport
import Testing

@Suite struct `What an Info.plist says of an app` {
    private struct Plist: Encodable {
        var CFBundleIdentifier: String? = "org.example.Mail"
        var CFBundleExecutable: String? = "Mail"
        var CFBundleName: String? = "Mail"
        var CFBundleDisplayName: String?
        var UIBackgroundModes: [String]? = ["fetch", "processing"]
        var BGTaskSchedulerPermittedIdentifiers: [String]? = ["org.example.Mail.tidy"]
    }

    private let folder: TemporaryDirectory

    /// The folder's path without symbolic links.
    private var root: String { folder.path }

    init() throws { folder = try TemporaryDirectory() }

    private func write(_ plist: Plist, to path: String, format: PropertyListDecoder.PropertyListFormat = .xml) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        try TestFiles.write(Array(try encoder.encode(plist)), to: path)
    }

    private func makeExecutable(_ path: String) throws {
        try TestFiles.write([0x7f, 0x45, 0x4c, 0x46], to: path, mode: 0o755)
    }

    /// A `Mail.app` folder with the executable at the given place inside.
    private func makeApp(_ place: String, plist: String = "Info.plist", _ content: Plist = Plist()) throws -> String {
        let app = root + "/Mail.app"
        for folder in ["", "/Contents", "/Contents/MacOS", "/bin"] { mkdir(app + folder, 0o755) }
        try makeExecutable(app + "/" + place)
        try write(content, to: app + "/" + plist)
        return app
    }

    @Test(arguments: [PropertyListDecoder.PropertyListFormat.xml, .binary])
    func `it is read as XML and in binary`(_ format: PropertyListDecoder.PropertyListFormat) throws {
        try makeExecutable(root + "/Mail")
        try write(Plist(CFBundleDisplayName: "Post"), to: root + "/Info.plist", format: format)
        let information = AppRegistration.Information(
            name: "Post",
            backgroundModes: ["fetch", "processing"],
            permittedTaskIdentifiers: ["org.example.Mail.tidy"]
        )
        #expect(BundleFacts.read(executable: root + "/Mail") == information)
        #expect(BundleFacts.read(executable: root + "/Mail (deleted)") == information)
        #expect(BundleFacts.read(executable: root + "/Other") == AppRegistration.Information())
        let located = try BundleFacts.locate(root + "/Mail")
        #expect(located.id == "org.example.Mail")
        #expect(located.executable == root + "/Mail")
        #expect(located.information == information)
    }

    @Test(arguments: [
        ("Mail", "Info.plist"), ("Contents/MacOS/Mail", "Contents/Info.plist"), ("bin/Mail", "Info.plist"),
    ])
    func `an app folder is found wherever its executable lies`(_ place: String, _ plist: String) throws {
        let app = try makeApp(place, plist: plist)
        symlink(app, root + "/link.app")
        for path in [app, app + "/", app + "/" + place, root + "/link.app"] {
            let located = try BundleFacts.locate(path)
            #expect(located.id == "org.example.Mail")
            #expect(located.executable == app + "/" + place)
            #expect(located.information.name == "Mail")
            // Its process will be known by the same ID.
            #expect(BundleFacts.id(of: AppIdentity(link: located.executable)) == located.id)
        }
    }

    @Test func `what is of the wrong kind counts as not there`() throws {
        try TestFiles.write(
            """
            <?xml version="1.0"?><plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>org.example.Mail</string>
            <key>CFBundleExecutable</key><string>Mail</string>
            <key>CFBundleName</key><integer>1</integer>
            <key>UIBackgroundModes</key><string>fetch</string>
            </dict></plist>
            """,
            to: root + "/Info.plist"
        )
        try makeExecutable(root + "/Mail")
        #expect(try BundleFacts.locate(root + "/Mail").information == AppRegistration.Information())
    }

    @Test func `what is no app is refused with its reason`() throws {
        let (mail, plist) = (root + "/Mail", root + "/Info.plist")
        func refuses(_ path: String, _ error: BundleError) {
            #expect(throws: error) { try BundleFacts.locate(path) }
            #expect(error.sentence.hasSuffix("."))
        }
        refuses(mail, .nothing(path: mail))
        refuses(root, .folder(path: root))
        try TestFiles.write("#!/bin/sh\n", to: mail)
        refuses(mail, .notExecutable(path: mail))
        chmod(mail, 0o755)
        refuses(mail, .script(path: mail))
        try makeExecutable(mail)
        refuses(mail, .noInformation(path: mail, expected: plist))
        try TestFiles.write("no property list", to: plist)
        refuses(mail, .unreadable(plist: plist))
        try write(Plist(CFBundleExecutable: nil), to: plist)
        refuses(mail, .noExecutable(plist: plist))
        try write(Plist(CFBundleExecutable: "Post"), to: plist)
        refuses(mail, .otherExecutable(plist: plist, names: "Post", path: mail))
        try write(Plist(CFBundleIdentifier: nil), to: plist)
        refuses(mail, .noIdentifier(plist: plist))
        try write(Plist(CFBundleIdentifier: "a/b"), to: plist)
        refuses(mail, .badIdentifier(plist: plist, identifier: "a/b"))
    }

    @Test func `an app folder that is incomplete is refused with its reason`() throws {
        let app = root + "/Mail.app"
        mkdir(app, 0o755)
        let plist = app + "/Info.plist"
        #expect(throws: BundleError.noInformation(path: app, expected: plist)) { try BundleFacts.locate(app) }
        try TestFiles.write("", to: plist)
        #expect(throws: BundleError.unreadable(plist: plist)) { try BundleFacts.locate(app) }
        try write(Plist(CFBundleExecutable: ""), to: plist)
        #expect(throws: BundleError.noExecutable(plist: plist)) { try BundleFacts.locate(app) }
        for name in ["Mail", "../Mail"] {
            try makeExecutable(root + "/Mail")
            try write(Plist(CFBundleExecutable: name), to: plist)
            #expect(throws: BundleError.executableMissing(plist: plist, name: name, expected: "\(app)/\(name)")) {
                try BundleFacts.locate(app)
            }
        }
    }
}
