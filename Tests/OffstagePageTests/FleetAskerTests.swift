// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstagePage
import OffstageTestSupport
import Testing

/// Limits of time and bytes for a program that answers badly, and many at once; `scripts/page-check` uses the real one.
@Suite struct FleetAskerTests {
    /// An asker that runs a shell script.
    private struct Stage {
        let folder: TemporaryDirectory
        let asker: FleetAsker

        init(_ script: String, patience: Double = 120, limit: Int = 1 << 20) throws {
            folder = try TemporaryDirectory()
            try TestFiles.write(Array("#!/bin/sh\n\(script)\n".utf8), to: folder.path("program"), mode: 0o755)
            asker = FleetAsker(
                ["OFFSTAGE_FLEET": folder.path("program"), "PATH": "/usr/bin:/bin", "HERE": folder.path],
                patience: patience,
                limit: limit
            )
        }

        /// Waits as the page's loop does, until all questions have answers.
        func answers(_ questions: [FleetQuestion]) throws -> [(status: UInt32, text: String)] {
            var found: [(status: UInt32, text: String)] = []
            for question in questions {
                asker.ask(question) { reply in
                    guard case .bytes(let bytes) = reply.body else { return }
                    found.append((reply.status, String(decoding: bytes, as: UTF8.self)))
                }
            }
            let end = ContinuousClock.now + .seconds(180)
            while found.count < questions.count {
                try #require(ContinuousClock.now < end, "the program is waited for")
                var entries = asker.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                poll(&entries, nfds_t(entries.count), 100)
                asker.turn()
            }
            return found
        }
    }

    @Test func `an answer longer than a pipe's buffer arrives whole, with its words`() throws {
        let stage = try Stage(#"printf '{"said":"%s ' "$*"; head -c 300000 /dev/zero | tr '\0' x; printf '"}'"#)
        let answer = try #require(try stage.answers([.rows(states: ["failed", "unknown"], before: 7)]).first)
        #expect(answer.status == 200 && answer.text.utf8.count > 300_000)
        #expect(
            answer.text.hasPrefix(
                #"{"said":"list --json --limit \#(PageBounds.fleetRows) --state failed --state unknown --before 7 x"#
            )
        )
        #expect(answer.text.hasSuffix(#"x"}"#))
    }

    @Test func `a program that says why it fails, and one that is not there`() throws {
        let refused = try Stage("echo 'offstage: No fleet is known.' >&2; exit 1").answers([.status])
        #expect(refused.first?.text == #"{"error":"No fleet is known."}"#)
        var answer = ""
        FleetAsker(["OFFSTAGE_FLEET": "/nonexistent/program"]).ask(.status) { reply in
            guard case .bytes(let bytes) = reply.body else { return }
            answer = String(decoding: bytes, as: UTF8.self)
        }
        #expect(answer.contains("OFFSTAGE_FLEET is /nonexistent/program, which cannot be run"))
    }

    @Test func `one that never ends is ended in time`() throws {
        // On a busy machine the time may be up before the program has started: then it is given more.
        var patience = 0.25
        var stage: Stage
        var process: pid_t?
        repeat {
            patience *= 2
            stage = try Stage(#"echo $$ > "$HERE/pid"; exec tail -f /dev/null"#, patience: patience)
            let answer = try #require(try stage.answers([.status]).first)
            #expect(answer.status == 503 && answer.text.contains("has not answered in"))
            let said = try? TestFiles.text(stage.folder.path("pid"))
            process = said?.split(separator: "\n").first.flatMap { pid_t($0) }
        } while process == nil && patience < 100
        let ended = try #require(process)
        try eventually("the program is gone") { () -> Bool? in
            stage.asker.turn()
            return kill(ended, 0) != 0 ? true : nil
        }
        #expect(stage.asker.due == nil && stage.asker.descriptors.isEmpty)
    }

    @Test func `one that never stops talking is ended at the bound`() throws {
        let said = try Stage("exec yes", limit: 1 << 20).answers([.status])
        #expect(said.first?.status == 503 && said.first?.text.contains("longer than this page takes") == true)
        let complained = try Stage("exec yes >&2").answers([.status])
        #expect(complained.first?.status == 503)
    }

    @Test func `so many at once, and no more`() throws {
        let stage = try Stage(#"echo '{"is":"'$*'"}'"#)
        let questions = (1...PageBounds.fleetRuns + 2).map { FleetQuestion.show(Int64($0)) }
        let answers = try stage.answers(questions)
        #expect(answers.count { $0.text.hasPrefix(PageRefusal.busy.sentence) } == 2)
        #expect(answers.count { $0.status == 200 } == PageBounds.fleetRuns)
        #expect(try stage.answers([.why(3)]).first?.text == #"{"is":"why --json 3"}"# + "\n")
    }
}
