// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct AppIdentityTests {
    private typealias Bundle = AppIdentity.Bundle

    @Test func `an executable by itself is its path`() {
        let app = AppIdentity(link: "/usr/bin/uploader")
        #expect(app.candidates == ["/usr/bin/Info.plist"])
        #expect(app.name([nil]) == "/usr/bin/uploader")
    }

    @Test func `a file that a rebuild has replaced is the same app`() {
        #expect(AppIdentity(link: "/a/uploader (deleted)").name([nil]) == "/a/uploader")
    }

    @Test func `an Info.plist beside it speaks for the executable that it names`() {
        let app = AppIdentity(link: "/a/uploader")
        #expect(app.name([Bundle(identifier: "org.example.up", executable: "uploader")]) == "org.example.up")
        #expect(app.name([Bundle(identifier: "org.example.up", executable: "other")]) == "/a/uploader")
        #expect(app.name([Bundle(identifier: "org.example.up", executable: nil)]) == "/a/uploader")
        #expect(app.name([Bundle(identifier: nil, executable: "uploader")]) == "/a/uploader")
    }

    @Test(arguments: [
        ("/x/Up.app/up", ["/x/Up.app/Info.plist", "/x/Up.app/Contents/Info.plist"]),
        (
            "/x/Up.app/Contents/MacOS/up",
            ["/x/Up.app/Contents/MacOS/Info.plist", "/x/Up.app/Info.plist", "/x/Up.app/Contents/Info.plist"]
        ),
        ("/x/.app/up", ["/x/.app/Info.plist"]),
        ("/up", ["/Info.plist"]),
    ])
    func `an app's folder is looked into`(executable: String, candidates: [String]) {
        #expect(AppIdentity(link: executable).candidates == candidates)
    }

    @Test func `the first file that fits counts`() {
        let app = AppIdentity(link: "/x/Up.app/Contents/up")
        let fitting = Bundle(identifier: "org.example.up", executable: "up")
        #expect(app.name([Bundle(identifier: "wrong", executable: "no"), nil, fitting]) == "org.example.up")
    }

    @Test(arguments: ["", "command", "/usr/bin/other", "a b", "ä", String(repeating: "x", count: 256), "a\nb"])
    func `an identifier that could be taken for something else is none`(identifier: String) {
        let app = AppIdentity(link: "/a/uploader")
        #expect(app.name([Bundle(identifier: identifier, executable: "uploader")]) == "/a/uploader")
    }

    @Test func `folders for downloads are plain names, each app's its own`() {
        #expect(AppIdentity.folderName(for: "org.example.up") == "org.example.up")
        #expect(AppIdentity.folderName(for: "/usr/bin/up") == "%2fusr%2fbin%2fup")
        #expect(AppIdentity.folderName(for: "..") == "%2e.")
        let long = String(repeating: "/x", count: 300)
        let names = [long, long + "y", long + "z"].map(AppIdentity.folderName)
        #expect(Set(names).count == 3)
        #expect(names.allSatisfy { $0.utf8.count < 200 && !$0.contains("/") })
    }
}
