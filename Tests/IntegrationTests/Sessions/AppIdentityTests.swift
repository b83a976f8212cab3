// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport
import Testing

@Suite(.serialized, .enabled(if: OtherProcess.isThere)) struct `An app is who its process is` {
    private let daemon: DaemonFixture
    private let executable: String

    init() throws {
        daemon = try DaemonFixture()
        try daemon.startOnDemand()
        executable = daemon.path("uploader")
        try TestFiles.write(try TestFiles.read(OtherProcess.interpreter), to: executable, mode: 0o755)
    }

    private func writePlist(executable: String) throws {
        try TestFiles.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>org.example.uploader</string>
            <key>CFBundleExecutable</key><string>\(executable)</string>
            <key>CFBundleName</key><string>Uploader</string>
            </dict></plist>
            """,
            to: daemon.path("Info.plist")
        )
    }

    @Test func `a program by itself is its path`() throws {
        #expect(try OtherProcess(daemon, executable: executable).app() == executable)
    }

    @Test func `a program that was built anew meanwhile is the same`() throws {
        let process = try OtherProcess(daemon, executable: executable, deletesItself: true)
        #expect(try process.app() == executable)
    }

    @Test func `an Info.plist names the program that it is for`() throws {
        try writePlist(executable: "uploader")
        #expect(try OtherProcess(daemon, executable: executable).app() == "org.example.uploader")
    }

    @Test func `an Info.plist of another program names nobody`() throws {
        try writePlist(executable: "viewer")
        #expect(try OtherProcess(daemon, executable: executable).app() == executable)
    }
}
