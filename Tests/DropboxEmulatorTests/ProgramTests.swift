// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import FoundationEssentials
import Glibc
import OffstageTestSupport
import Testing

/// The program `offstage-dropbox-emulator`.
@Suite struct ProgramTests {
    private func start(_ arguments: [String] = []) throws -> (process: ChildProcess, address: String) {
        let process = try ChildProcess(BuiltProducts.path("offstage-dropbox-emulator"), arguments)
        let start = "Listening on "
        let address = try process.line { $0.hasPrefix(start) ? String($0.dropFirst(start.count)) : nil }
        return (process, address)
    }

    /// With its own folder for temporary files.
    private func environment(_ folder: TemporaryDirectory) -> [String: String] {
        ChildProcess.inheritedEnvironment.merging(["TMPDIR": folder.path]) { _, own in own }
    }

    private func python(_ script: String, _ arguments: [String]) throws -> CommandResult {
        try ChildProcess.run("/usr/bin/env", ["python3", "-c", script] + arguments)
    }

    @Test func `options are read`() throws {
        let order = try EmulatorProgram.order([
            "--port", "8080", "--discard", "--latency", "20", "--token-lifetime", "60", "--app-key", "a:b", "--app-key",
            "c", "--seed", "9",
        ])
        guard case .serve(let configuration, certificate: nil, key: nil) = order else {
            throw TestError("The order is \(order).")
        }
        #expect(configuration.port == 8080)
        #expect(configuration.discards)
        #expect(configuration.rules.latency == 0.02)
        #expect(configuration.rules.tokenLifetime == 60)
        #expect(configuration.apps == ["a": "b", "c": ""])
        #expect(configuration.seed == 9)
    }

    @Test(arguments: [
        ["--port"], ["--port", "x"], ["--port", "70000"], ["--nothing"], ["--nothing", "x"], ["--latency", "-1"],
        ["--certificate", "x"], ["--key", "x"], ["--discard", "--folder", "x"],
    ])
    func `options that make no sense are told with a code of 2`(arguments: [String]) throws {
        let result = try ChildProcess.run(BuiltProducts.path("offstage-dropbox-emulator"), arguments)
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("offstage-dropbox-emulator: --"))
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    @Test func `help is printed`() throws {
        let result = try ChildProcess.run(BuiltProducts.path("offstage-dropbox-emulator"), ["--help"])
        #expect(result.isSuccess)
        #expect(result.output == EmulatorProgram.help)
    }

    @Test func `closed descriptors become no connection`() throws {
        let port = try FreePort.find()
        let words = ["-c", "exec \"$@\" <&- >&- 2>&-", "sh", try BuiltProducts.path("offstage-dropbox-emulator")]
        let process = try ChildProcess("/bin/sh", words + ["--port", "\(port)"])
        defer { process.kill(SIGKILL) }
        try eventually("it listens") { (try? LoopbackSocket.connect(port: port)).map { close($0) } }
        for number in 0...2 {
            let path = "/proc/\(process.processID)/fd/\(number)"
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "/dev/null")
        }
    }

    @Test func `help that cannot be written is no success`() throws {
        let program = try BuiltProducts.path("offstage-dropbox-emulator")
        let result = try ChildProcess.run("/bin/sh", ["-c", "exec \"$0\" --help >/dev/full", program])
        #expect(result.code == 1)
        #expect(
            result.errors
                == "offstage-dropbox-emulator: Standard output cannot be written (No space left on device).\n"
        )
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a signal ends it and its folder goes`(signal: Int32) throws {
        let folder = try TemporaryDirectory()
        let process = try ChildProcess(
            BuiltProducts.path("offstage-dropbox-emulator"),
            environment: environment(folder)
        )
        _ = try process.line { $0.hasPrefix("Listening on http://127.0.0.1:") ? true : nil }
        #expect(TestFiles.names(in: folder.path).count == 1)
        process.kill(signal)
        #expect(try process.exitStatus() == .exited(0))
        #expect(TestFiles.names(in: folder.path).isEmpty)
    }

    @Test func `it speaks https with the certificate that it is given`() throws {
        let folder = try TemporaryDirectory()
        let certificate = try TestCertificate(in: folder.path)
        let (process, address) = try start(["--certificate", certificate.certificate, "--key", certificate.key])
        defer { process.kill(SIGTERM) }
        #expect(address.hasPrefix("https://127.0.0.1:"))
        let script = """
            import ssl, sys, urllib.request
            context = ssl.create_default_context(cafile=sys.argv[2])
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
            request = urllib.request.Request(sys.argv[1] + "/emulator/sink", data=bytes(3_000_000), method="PUT")
            print(opener.open(request, timeout=20).read().decode())
            """
        let result = try python(script, [address, certificate.authority])
        #expect(result.isSuccess, "\(result)")
        #expect(EmulatorJSON(parsing: result.output)?["size"] == 3_000_000)
    }

    @Test func `a port that is taken ends it with a sentence, and nothing stays`() throws {
        let (process, address) = try start()
        defer { process.kill(SIGTERM) }
        let port = try #require(address.split(separator: ":").last)
        let folder = try TemporaryDirectory()
        let result = try ChildProcess.run(
            BuiltProducts.path("offstage-dropbox-emulator"),
            ["--port", String(port)],
            environment: environment(folder)
        )
        #expect(result.code == 1)
        #expect(result.errors.contains("Cannot listen on 127.0.0.1:\(port)"), "\(result.errors)")
        #expect(TestFiles.names(in: folder.path).isEmpty)
    }

    @Test func `a certificate that is none ends it with a sentence, and nothing stays`() throws {
        let folder = try TemporaryDirectory()
        try TestFiles.write("nothing\n", to: folder.path("x.pem"))
        let program = try BuiltProducts.path("offstage-dropbox-emulator")
        let bad = try ChildProcess.run(
            program,
            ["--certificate", folder.path("x.pem"), "--key", folder.path("x.pem")],
            environment: environment(folder)
        )
        #expect(bad.code == 1)
        #expect(TestFiles.names(in: folder.path) == ["x.pem"])
        #expect(bad.errors.contains("check both PEM files"), "\(bad.errors)")
        let none = try ChildProcess.run(
            program,
            ["--certificate", folder.path("y.pem"), "--key", folder.path("x.pem")]
        )
        #expect(none.errors.contains("y.pem cannot be read"))
    }

    @Test func `a large body is not held in memory`() throws {
        let (process, address) = try start()
        defer { process.kill(SIGTERM) }
        let script = """
            import http.client, json, sys
            connection = http.client.HTTPConnection(sys.argv[1].split("//")[1], timeout=60)
            connection.request("POST", "/emulator/token")
            token = json.loads(connection.getresponse().read())["access_token"]
            size = 150 << 20
            connection.putrequest("POST", "/2/files/upload")
            connection.putheader("Authorization", "Bearer " + token)
            connection.putheader("Content-Type", "application/octet-stream")
            connection.putheader("Dropbox-API-Arg", json.dumps({"path": "/large"}))
            connection.putheader("Content-Length", str(size))
            connection.endheaders()
            for _ in range(size >> 20):
                connection.send(bytes(1 << 20))
            answer = connection.getresponse()
            print(answer.status, json.loads(answer.read())["size"])
            """
        let result = try python(script, [address])
        #expect(result.output == "200 157286400\n", "\(result)")
        let status = String(decoding: try TestFiles.read("/proc/\(process.processID)/status"), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        let peak = try #require(Int(line.split(separator: " ")[1]))
        #expect(peak < 64 << 10, "\(peak) KiB")
    }
}
