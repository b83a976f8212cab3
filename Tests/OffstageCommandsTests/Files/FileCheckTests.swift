// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct FileCheckTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func `a regular file has an identity`() throws {
        try TestFiles.write("hello", to: directory.path("a"))
        let identity = try SourceFile.identity(directory.path("a"))
        #expect(identity.size == 5)
        #expect(identity.inode != 0)
        #expect(identity.modified > 0)
    }

    @Test func `what cannot be sent is refused in one sentence`() throws {
        let pipe = directory.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let cases = [
            (directory.path("none"), "There is no file \(directory.path("none")): check its name."),
            (pipe, "\(pipe) is not a regular file: only regular files can be sent."),
            (
                directory.path,
                "\(directory.path) is a directory: end the URL with / to send the files in it, or pack it into one file first."
            ),
        ]
        for (path, sentence) in cases {
            #expect(throws: CommandFailure(sentence)) { try SourceFile.identity(path) }
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func `an unreadable file is refused`() throws {
        let path = directory.path("secret")
        try TestFiles.write("x", to: path)
        chmod(path, 0)
        #expect(throws: CommandFailure("The file \(path) cannot be read: make it readable for this user.")) {
            try SourceFile.identity(path)
        }
    }

    @Test func `a target needs a directory, a free name and one that fits`() throws {
        let here = directory.path("x")
        try TargetFile.check(here, overwrites: false)
        try TestFiles.write("old", to: here)
        #expect(
            throws: CommandFailure("\(here) already exists: choose another name with -o, or replace it with --force.")
        ) { try TargetFile.check(here, overwrites: false) }
        try TargetFile.check(here, overwrites: true)
        let missing = directory.path("no/x")
        #expect(
            throws: CommandFailure(
                "There is no directory \(directory.path("no")): create it, use --create-dirs, or choose another with --output-dir."
            )
        ) { try TargetFile.check(missing, overwrites: false) }
        #expect(throws: CommandFailure("\(here) is not a directory: choose another target.")) {
            try TargetFile.check(here + "/y", overwrites: false)
        }
        #expect(throws: CommandFailure.self) { try TargetFile.check("/", overwrites: true) }
        #expect(throws: CommandFailure.self) { try TargetFile.check(directory.path(".."), overwrites: true) }
    }

    @Test func `a directory is no target, and no pipe is replaced`() throws {
        #expect(
            throws: CommandFailure(
                "\(directory.path) is a directory: use --output-dir \(directory.path) to put the file into it."
            )
        ) {
            try TargetFile.check(directory.path, overwrites: true)
        }
        let pipe = directory.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: CommandFailure.self) { try TargetFile.check(pipe, overwrites: true) }
    }

    @Test func `a name of 255 bytes is allowed and one of 256 is refused in a clear sentence`() throws {
        try TargetFile.check(directory.path(String(repeating: "n", count: 255)), overwrites: false)
        let error = #expect(throws: CommandFailure.self) {
            try TargetFile.check(directory.path(String(repeating: "ü", count: 128)), overwrites: false)
        }
        #expect(error?.sentences[0].contains("has 256 bytes, but 255 are allowed") == true)
    }

    @Test func `a directory's regular files are found in order, and links are left out`() throws {
        for name in ["t", "t/b"] { try TestFiles.makeDirectory(directory.path(name)) }
        try TestFiles.write("1", to: directory.path("t/b/ü.txt"))
        try TestFiles.write("2", to: directory.path("t/a"))
        try TestFiles.write("3", to: directory.path("t/.hidden"))
        #expect(symlink("/etc", directory.path("t/link")) == 0)
        let content = try DirectoryTree.content(of: directory.path("t"))
        #expect(content.files == [".hidden", "a", "b/ü.txt"])
        #expect(content.links == ["link"])
    }

    @Test func `links are followed where that is asked for, but in no circle`() throws {
        for name in ["t", "t/b", "other"] { try TestFiles.makeDirectory(directory.path(name)) }
        for name in ["t/a", "other/o"] { try TestFiles.write("1", to: directory.path(name)) }
        #expect(symlink("../other", directory.path("t/elsewhere")) == 0)
        #expect(symlink("..", directory.path("t/b/up")) == 0)
        #expect(symlink("../a", directory.path("t/b/file")) == 0)
        #expect(symlink("nowhere", directory.path("t/broken")) == 0)
        #expect(mkfifo(directory.path("t/pipe"), 0o600) == 0)
        let content = try DirectoryTree.content(of: directory.path("t"), followsLinks: true)
        #expect(content.files == ["a", "b/file", "elsewhere/o"])
        #expect(content.links == ["b/up", "broken"])
        #expect(content.others == ["pipe"])
    }

    @Test func `a name that is too long to be looked at is told, not left out`() throws {
        try TestFiles.makeDirectory(directory.path("t"))
        try TestFiles.write("1", to: directory.path("t/a-file-with-a-name"))
        // The directory's own path may be this long, but not the path of the file in it.
        let root = directory.path("t")
        let long = root + String(repeating: "/.", count: (4094 - root.utf8.count) / 2)
        let error = #expect(throws: CommandFailure.self) { try DirectoryTree.content(of: long) }
        #expect(error?.sentences.first?.contains("a-file-with-a-name cannot be read") == true)
    }

    @Test(.enabled(if: geteuid() != 0, "root may enter everything"))
    func `a directory that may be listed but not entered is told, not left out`() throws {
        for name in ["t", "t/b"] { try TestFiles.makeDirectory(directory.path(name)) }
        for name in ["t/a", "t/b/c"] { try TestFiles.write("1", to: directory.path(name)) }
        chmod(directory.path("t/b"), 0o444)
        defer { chmod(directory.path("t/b"), 0o700) }
        let error = #expect(throws: CommandFailure.self) { try DirectoryTree.content(of: directory.path("t")) }
        #expect(error?.sentences.first?.contains("\(directory.path("t/b/c")) cannot be read") == true)
    }

    @Test func `a name that is no text is refused rather than mangled`() throws {
        try TestFiles.makeDirectory(directory.path("t"))
        let name = Array(directory.path("t/").utf8CString.dropLast()) + [-1, 0]
        let descriptor = open(name, O_CREAT | O_WRONLY, 0o600)
        close(descriptor)
        let error = #expect(throws: CommandFailure.self) { try DirectoryTree.content(of: directory.path("t")) }
        #expect(error?.sentences.first?.contains("'\u{FFFD}' in the directory \(directory.path("t"))") == true)
    }

    @Test func `a snapshot is a private copy with the same bytes and a name that tells whose it is`() throws {
        let source = directory.path("data.bin")
        try TestFiles.makeRandom(source, bytes: 3_000_000, seed: 4)
        let copy = try SnapshotFile.make(of: source, in: directory.path("home/snapshots"))
        #expect(try TestFiles.sha256(copy.path) == TestFiles.sha256(source))
        #expect(copy.identity == (try SourceFile.identity(copy.path)))
        #expect(SnapshotName.original(copy.path) == "data.bin")
        #expect(SnapshotName.original(source) == nil)
        var status = stat()
        #expect(stat(copy.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(stat(directory.path("home/snapshots"), &status) == 0 && status.st_mode & 0o777 == 0o700)
    }

    @Test func `a snapshot that cannot be made leaves nothing behind`() throws {
        try TestFiles.write("in the way", to: directory.path("snapshots"))
        try TestFiles.write("x", to: directory.path("a"))
        #expect(throws: CommandFailure.self) {
            try SnapshotFile.make(of: directory.path("a"), in: directory.path("snapshots"))
        }
    }
}
