// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageUIKit
import Testing

/// An app with a scene delegate, as in every Xcode template, with the real daemon.
@Suite(.serialized) struct SceneTests {
    /// As Xcode writes it to the source's `Info.plist`.
    private static let manifest = """
        <key>UIApplicationSceneManifest</key><dict>
        <key>UIApplicationSupportsMultipleScenes</key><false/>
        <key>UISceneConfigurations</key><dict><key>UIWindowSceneSessionRoleApplication</key><array><dict>
        <key>UISceneConfigurationName</key><string>Default Configuration</string>
        <key>UISceneDelegateClassName</key><string>$(PRODUCT_MODULE_NAME).SceneDelegate</string>
        </dict></array></dict></dict>
        """
    private static let launched = [
        "willFinishLaunching without options (background)", "didFinishLaunching as delegate (background)",
        "posted didFinishLaunching (background)",
    ]
    private static let connected = [
        "scene willConnect background 1 (background)", "viewDidLoad (background)", "viewWillAppear (background)",
    ]
    private static let front = [
        "posted willEnterForeground (background)", "scene didBecomeActive (active)", "posted didBecomeActive (active)",
    ]
    private static let away = [
        "scene willResignActive (active)", "posted willResignActive (active)", "scene didEnterBackground (background)",
        "posted didEnterBackground (background)",
    ]

    @Test func `its scene delegate hears of launch, background and return in the app delegate's place`() throws {
        let app = try LivingApp(try DaemonFixture(), information: Self.manifest)
        let process = try app.open()
        let first = ["scene willEnterForeground (background)"] + Self.front
        #expect(app.texts == Self.launched + Self.connected + first)
        try app.act(.background)
        try app.waitUntilStopped(process)
        #expect(app.texts.suffix(4) == Self.away[...])
        let before = app.texts.count
        try app.act(.foreground)
        try app.line("posted didBecomeActive", after: before + 1)
        #expect(Array(app.texts.dropFirst(before)) == ["scene willEnterForeground (background)"] + Self.front)
        process.kill(SIGTERM)
        _ = try process.exitStatus()
        #expect(
            app.texts.suffix(3) == [
                "scene didDisconnect (active)", "willTerminate (active)", "posted willTerminate (active)",
            ]
        )
    }

    @Test func `launched in background its scene connects when it comes to the front`() throws {
        let app = try LivingApp(try DaemonFixture(), information: Self.manifest)
        let process = try app.open()
        process.kill(SIGKILL)
        _ = try process.exitStatus()
        let before = app.texts.count
        try app.act(.launch(inBackground: true))
        #expect(Array(app.texts.dropFirst(before)) == Self.launched)
        try app.act(.foreground)
        try app.line("posted didBecomeActive", after: before + 3)
        let first = ["scene willEnterForeground (background)"] + Self.front
        #expect(Array(app.texts.dropFirst(before + 3)) == Self.connected + first)
        try app.act(.terminate)
    }

    @Test func `woken for its session's events it hears of them, and nothing of its scene`() throws {
        let app = try LivingApp(try DaemonFixture(), information: Self.manifest)
        let process = try app.open()
        let gate = FaultGate()
        let server = try FaultServer()
        server.script("/up", .held(gate, then: .status(200)))
        let file = try app.daemon.makeFile("photo", bytes: 100).path
        try app.order("upload \(server.url("/up")) \(file)")
        try app.line("began an upload")
        try app.act(.background)
        try app.waitUntilStopped(process)
        let before = app.texts.count
        gate.open()
        try app.line("finished events")
        try app.waitUntilStopped(process)
        let heard = Array(app.texts.dropFirst(before))
        #expect(heard.first == "handleEvents uploads (background)")
        #expect(!heard.contains { $0.hasPrefix("scene") }, "\(heard)")
    }

    @Test func `a delegate that says how scenes are made needs no manifest`() throws {
        let app = try LivingApp(try DaemonFixture(), flags: "scenes")
        let process = try app.open()
        let texts = app.texts
        #expect(texts.filter { $0.hasPrefix("configurationForConnecting") }.count == 1)
        #expect(texts.contains("scene willConnect background 1 (background)"))
        #expect(texts.contains("scene didBecomeActive (active)") && !texts.contains("didBecomeActive (active)"))
        #expect(process.isRunning)
    }

    @Test(arguments: ["Nobody", "$(PRODUCT_MODULE_NAME).ViewController"])
    func `a class that is none for a scene's delegate is told, and the app runs`(_ name: String) throws {
        let manifest = Self.manifest.replacing("$(PRODUCT_MODULE_NAME).SceneDelegate", with: name)
        let app = try LivingApp(try DaemonFixture(), information: manifest)
        let process = try app.open()
        try eventually("it says so") { process.errors.contains("scene's delegate") ? true : nil }
        #expect(process.isRunning)
    }

    @Test func `a manifest is read as Apple documents it`() {
        let scenes: [String: Any] = [
            "UISceneConfigurations": [
                "UIWindowSceneSessionRoleApplication": [["UISceneDelegateClassName": "$(PRODUCT_MODULE_NAME).Scene"]]
            ]
        ]
        let manifest = SceneManifest(["UIApplicationSceneManifest": scenes])
        #expect(manifest?.delegateClass(in: "App") == "App.Scene")
        #expect(SceneManifest([:]) == nil)
        let odd = SceneManifest(["UIApplicationSceneManifest": ["UISceneConfigurations": 7]])
        #expect(odd != nil && odd?.delegateClass(in: "App") == nil)
    }
}
