// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// An app of two processes, each an interpreter with the same script. To the daemon they are one app, the
/// interpreter's.
///
/// The test's own process will not do: every test runs in the same one.
struct OtherProcess {
    static let interpreter = "/usr/bin/python3"
    static var isThere: Bool { access(interpreter, X_OK) == 0 }

    let process: ChildProcess

    /// Connects, opens the session `s`, hands uploads of a file over without ringing, prints `ready` and waits.
    ///
    /// Prints `inUse` and exits if another process has the session.
    ///
    /// - Parameters:
    ///   - daemon: the daemon that it connects to.
    ///   - uploads: the number of uploads that it hands over, numbered from 1.
    ///   - file: the file that they send.
    ///   - url: the destination; the number is appended.
    ///   - executable: the interpreter, or a copy of it; nil for the system's.
    ///   - deletesItself: whether it deletes its executable first, as a new build of a program does.
    /// - Throws: `TestError` if it cannot be started.
    init(
        _ daemon: DaemonFixture,
        uploads: Int = 0,
        file: String = "",
        url: String = "",
        executable: String? = nil,
        deletesItself: Bool = false
    ) throws {
        let script = daemon.path("app.py")
        try TestFiles.write(Self.script, to: script)
        process = try ChildProcess(
            executable ?? Self.interpreter,
            [script, daemon.socketPath, "\(uploads)", file, url] + (deletesItself ? ["delete"] : [])
        )
    }

    /// Its first line of output.
    func word() throws -> String { try process.line { $0 } }

    /// The identity that the daemon gives it.
    func app() throws -> String {
        try process.line { $0.hasPrefix("app ") ? String($0.dropFirst(4)) : nil }
    }

    /// Kills it with SIGKILL.
    func kill() throws {
        process.kill(SIGKILL)
        _ = try process.exitStatus()
    }

    private static let script = """
        import fcntl, json, os, socket, struct, sys
        path, count, file, url = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
        if len(sys.argv) > 5: os.unlink(os.readlink("/proc/self/exe"))
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(path)
        journal, received = -1, b""
        def ask(name, payload):
            global journal, received
            name, body = name.encode(), json.dumps(payload).encode()
            peer.sendall(struct.pack(">IBIB", 6 + len(name) + len(body), 1, 7, len(name)) + name + body)
            while True:
                while len(received) < 4 or len(received) < 4 + struct.unpack(">I", received[:4])[0]:
                    bytes, descriptors, _, _ = socket.recv_fds(peer, 65536, 1)
                    if not bytes: sys.exit("hung up")
                    journal = descriptors[0] if descriptors else journal
                    received += bytes
                length, kind, _, used = struct.unpack(">IBIB", received[:10])
                answer, received = json.loads(received[10 + used:4 + length]), received[4 + length:]
                if kind == 2: return answer
                if kind == 3:
                    print(answer["code"], flush=True)
                    sys.exit(1)
        ask("hello", {"version": {"major": 0, "minor": 1, "patch": 0}, "protocolVersion": 1, "client": "tests"})
        app = ask("app.open", {})["app"]
        ask("session.open", {"identifier": "s"})
        for task in range(1, count + 1):
            of = os.stat(file)
            source = {"path": file, "identity": [of.st_dev, of.st_ino, of.st_size, of.st_mtime_ns], "isSnapshot": False}
            spec = {"direction": {"upload": {"_0": source}}, "url": url + str(task), "method": "PUT", "headers": [],
                    "owner": app, "priority": 0.5, "idleTimeout": 60, "overallTimeout": 604800,
                    "sessionTask": {"session": "s", "task": task}}
            body, number = json.dumps(spec).encode(), struct.pack(">Q", task)
            fcntl.flock(journal, fcntl.LOCK_EX)
            os.write(journal, struct.pack(">IB", 17 + len(body), 1) + number + body + number)
            fcntl.flock(journal, fcntl.LOCK_UN)
        print("ready", flush=True)
        print("app", app, flush=True)
        while peer.recv(65536): pass
        """
}
