// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstagePage
import OffstageTestSupport
import Testing

@Suite struct MetricsTokenTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("token") }

    init() throws { directory = try TemporaryDirectory() }

    @Test func `a missing file is made, for this user alone, and read the next time`() throws {
        let token = try MetricsToken.read(path)
        #expect(token.utf8.count == 64)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(try MetricsToken.read(path) == token)
    }

    @Test func `a person's own token counts, up to the end of its line`() throws {
        let token = String(repeating: "k", count: 32)
        try TestFiles.write("\(token)\nand more\n", to: path)
        #expect(chmod(path, 0o600) == 0)
        #expect(try MetricsToken.read(path) == token)
    }

    @Test(arguments: [
        "", "\n", "short\n", String(repeating: "k", count: 31), String(repeating: "k", count: 513),
        String(repeating: " ", count: 40), "\u{1}" + String(repeating: "k", count: 40),
        String(repeating: "é", count: 40),
    ])
    func `a file without a token is refused, and stays as it is`(text: String) throws {
        try TestFiles.write(text, to: path)
        #expect(chmod(path, 0o600) == 0)
        let error = #expect(throws: PageError.self) { try MetricsToken.read(path) }
        #expect(error?.description.contains("has no token") == true)
        #expect(error?.description.contains("kkkk") == false)
        #expect(try TestFiles.text(path) == text)
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o620] as [mode_t])
    func `a file that others may read is refused`(mode: mode_t) throws {
        try TestFiles.write(String(repeating: "k", count: 40), to: path)
        #expect(chmod(path, mode) == 0)
        let error = #expect(throws: PageError.self) { try MetricsToken.read(path) }
        #expect(error?.description.contains("chmod 600") == true)
    }

    @Test func `what is no file is refused without waiting`() throws {
        #expect(mkfifo(path, 0o600) == 0)
        #expect(throws: PageError.self) { try MetricsToken.read(path) }
        #expect(throws: PageError.self) { try MetricsToken.read("/") }
        #expect(throws: PageError.self) { try MetricsToken.read(directory.path("missing/token")) }
    }
}
