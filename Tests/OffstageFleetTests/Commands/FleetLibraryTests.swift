// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageTestSupport
import Testing

/// Submitting from Swift, through the program.
@Suite(.enabled(if: PostgresServer.isThere, "needs PostgreSQL's server"))
struct FleetLibraryTests {
    @Test func `uploads of a program become rows, once for each key`() async throws {
        let fleet = try CommandFleet()
        let library = Fleet(
            database: fleet.server.words("ann"),
            program: URL(fileURLWithPath: try BuiltProducts.path("offstage-fleet"))
        )
        let uploads = try (0..<3).map { number in
            var request = URLRequest(url: try #require(URL(string: "https://files.example/in/\(number)")))
            request.httpMethod = "POST"
            request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
            let file = URL(fileURLWithPath: try fleet.file("f\(number)"))
            var upload = FleetUpload(file: file, request: request, key: "key \(number)", labels: ["site=seoul"])
            upload.queue = "nightly"
            upload.priority = 1
            return upload
        }
        let submitted = try await library.submit(uploads)
        #expect(submitted.rows == [1, 2, 3] && submitted.known == 0)
        let again = try await library.submit(uploads)
        #expect(again.rows == [1, 2, 3] && again.known == 3)
        let rows = try fleet.owner.ask(
            """
            SELECT i.spec, i.priority, i.is_repeatable, a.queue, a.requires FROM offstage.item i \
            JOIN offstage.lane a ON a.id = i.lane ORDER BY i.id
            """
        )
        #expect(rows.count == 3 && rows[0].raw("queue") == "nightly" && rows[0].raw("requires") == "{site=seoul}")
        #expect(rows[0].raw("priority") == "100" && rows[0].flag("is_repeatable") == true)
        let text = try #require(rows[1].raw("spec"))
        #expect(text.contains("https://files.example/in/1") && text.contains("text/plain") && text.contains("POST"))
    }

    @Test func `an upload may begin later, and has no body but its file`() async throws {
        let fleet = try CommandFleet()
        let library = Fleet(
            database: fleet.server.words("ann"),
            program: URL(fileURLWithPath: try BuiltProducts.path("offstage-fleet"))
        )
        var request = URLRequest(url: try #require(URL(string: "https://files.example/in/")))
        var upload = FleetUpload(file: URL(fileURLWithPath: try fleet.file("f")), request: request)
        let begin = Date(timeIntervalSince1970: 4_000_000_000.25)
        upload.earliestBeginDate = begin
        let rows = try await library.submit([upload]).rows
        #expect(rows == [1])
        #expect(try fleet.state(1) == "later")
        let ready = try fleet.owner.ask("SELECT extract(epoch FROM ready_at) AS at FROM offstage.line").first?.raw("at")
        #expect(ready.flatMap(Double.init) == 4_000_000_001)
        request.httpBody = Data("x".utf8)
        upload.request = request
        let refused = upload
        await #expect(throws: FleetError.self) { _ = try await library.submit([refused]) }
    }

    @Test func `what is refused is an error with the program's sentence`() async throws {
        let fleet = try CommandFleet()
        let program = URL(fileURLWithPath: try BuiltProducts.path("offstage-fleet"))
        let request = URLRequest(url: try #require(URL(string: "https://files.example/in/")))
        let missing = FleetUpload(file: URL(fileURLWithPath: "/nonexistent/file"), request: request)
        for (library, part) in [
            (Fleet(database: fleet.server.words("ann"), program: program), "There is no file"),
            (Fleet(database: fleet.server.words("vic"), program: program), "may not do that"),
            (Fleet(database: "host=/nonexistent password=hunter2", program: program), "cannot be reached"),
            (Fleet(program: URL(fileURLWithPath: "/nonexistent/program")), "cannot be started"),
        ] {
            var upload = missing
            if part == "may not do that" { upload.file = URL(fileURLWithPath: try fleet.file("f")) }
            do {
                _ = try await library.submit([upload])
                Issue.record("it was submitted: \(part)")
            } catch let error as FleetError {
                let said = try #require(error.errorDescription)
                #expect(said.contains(part) && !said.contains("hunter2"), "\(said)")
            }
        }
        #expect(try await Fleet().submit([]).rows.isEmpty)
    }
}
