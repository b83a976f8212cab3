// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct ChecksumListTests {
    private static let one = String(repeating: "1a", count: 32)
    private static let two = String(repeating: "2b", count: 32)

    /// The sum for a URL, and the name that its file is saved under.
    private func sum(_ text: String, _ url: String, as path: String = "/d/saved") throws -> String? {
        try ChecksumList(Array(text.utf8)).sum(for: RequestURL(url), savedAs: path)?.sha256
    }

    @Test(
        arguments: [
            ("\(one)  a b.iso", "a%20b.iso"), ("\(one) *a.iso", "a.iso"), ("\(one) a.iso", "a.iso"),
            ("\(one.uppercased())  a.iso", "a.iso"), ("\(one)  a.iso\r\n", "a.iso"),
            ("SHA256 (a.iso) = \(one)", "a.iso"), ("SHA256 (a) = (b) = \(one)", "a)%20=%20(b"),
            ("\\\(one)  a\\\\b", "a%5Cb"),
            ("\\\(one)  a\\nb\\r", "a%0Ab%0D"), ("\\SHA256 (a\\nb) = \(one)", "a%0Ab"),
            ("\(one)  ./a.iso", "a.iso"), ("\(one)  \u{301}a", "%CC%81a"), ("\(one)  *a", "*a"),
            ("# all\n\n\(two)  b\n\(one)  a.iso\n\(one)  a.iso\n", "a.iso"), ("\(one)  한국.iso", "한국.iso"),
            ("MD5 (a.iso) = 0123\nSHA512 (a.iso) = ff\nSHA256 (a.iso) = \(one)", "a.iso"),
        ]
    )
    func `what sha256sum and its kin write is understood`(text: String, path: String) throws {
        #expect(try sum(text, "https://h/x/\(path)") == Self.one)
        #expect(try sum(text, "https://h/x/other") == nil)
    }

    @Test(arguments: [[], ["--tag"], ["--binary"], ["--text"]])
    func `what the program writes of odd names is understood`(options: [String]) throws {
        let directory = try TemporaryDirectory()
        let names = ["plain.iso", "two words", " before", "back\\slash", "line\nbreak", "*star", "a) = b", "한국"]
        for name in names { try TestFiles.write("of \(name)", to: directory.path(name)) }
        let list = try ChildProcess.run("/usr/bin/sha256sum", options + ["--"] + names, directory: directory.path)
        #expect(list.isSuccess, "\(list)")
        let sums = try ChecksumList(Array(list.output.utf8))
        #expect(sums.count == names.count)
        for name in names {
            let sum = sums.sum(for: try RequestURL("https://h/?x"), savedAs: directory.path(name))
            #expect(sum?.sha256 == (try TestFiles.sha256(directory.path(name))), "\(name.debugDescription)")
        }
    }

    @Test func `folders of the list count where the URL has them, and the name here where it has no other`() throws {
        let text = "\(Self.one)  ./netboot/mini.iso\n\(Self.two)  hd/mini.iso\n"
        #expect(try sum(text, "https://h/images/netboot/mini.iso") == Self.one)
        #expect(try sum(text, "https://h/images/hd/mini.iso?x=1") == Self.two)
        #expect(try sum(text, "https://h/images/mini.iso") == nil)
        #expect(try sum("\(Self.one)  a.iso", "https://h/get?id=1", as: "/home/me/a.iso") == Self.one)
        #expect(try sum("\(Self.one)  a.iso\n\(Self.two)  b.iso", "https://h/a.iso", as: "/home/me/b.iso") == Self.one)
    }

    @Test(
        arguments: [
            ("\(one)  a\n\(one.dropLast())  b", 2, "this has 63"), ("\(one)0  a", 1, "this has 65"),
            ("\(one)  a\n\n\(two)  a", 3, "a different SHA-256 in line 1"),
            ("\(one)  ./a\n\(two) *a", 2, "a different SHA-256"),
            ("\(one)", 1, "names no file"), ("\(one)  ", 1, "names no file"),
            ("\(one.prefix(32))  a", 1, "this has 32, like an MD5: look for a list of SHA-256"),
            ("\(one)\(one)  a", 1, "this has 128, like a SHA-512"),
            ("hello world", 1, "does not begin with a SHA-256"),
            (" \(one)  a", 1, "does not begin with a SHA-256"), ("SHA256 (a) = 12", 1, "this has 2"),
            ("SHA256 () = \(one)", 1, "names no file"), ("\(one)  /etc/passwd", 1, "leads out"),
            ("\(one)  ../a", 1, "leads out"), ("\(one)  a/../../b", 1, "leads out"),
            ("\(one)  a/", 1, "not the name of a file"),
            ("\(one)  .", 1, "not the name of a file"), ("\\\(one)  a\\tb", 1, "backslash"),
            ("\\\(one)  a\\", 1, "backslash"),
            ("-----BEGIN PGP SIGNED MESSAGE-----\n", 1, "gpg --decrypt"), ("\(one)  a\0\(two)  b\0", 1, "not UTF-8"),
        ]
    )
    func `a line that is of no use is named`(text: String, line: Int, part: String) {
        do throws(ChecksumList.Mistake) {
            Issue.record("\(try ChecksumList(Array(text.utf8))) was understood")
        } catch {
            #expect(error.line == line)
            #expect(error.text.contains(part), "\(error.text)")
        }
    }

    @Test func `no bytes end the reader`() {
        var random = SeededGenerator(seed: 7)
        let seed = Array("\\SHA256 (a\\n) = \(Self.one)\n\(Self.two) *./b/c\r\n# x\n".utf8)
        for _ in 0..<5000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            bytes.removeLast(.random(in: 0..<bytes.count, using: &random))
            do throws(ChecksumList.Mistake) {
                #expect(try ChecksumList(bytes).count <= 2)
            } catch {
                #expect(error.line >= 1 && !error.text.isEmpty)
            }
        }
    }
}
