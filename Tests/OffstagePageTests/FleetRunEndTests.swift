// SPDX-License-Identifier: Apache-2.0
import OffstagePage
import Testing

/// The reply to a page about the result of running `offstage-fleet`.
@Suite struct FleetRunEndTests {
    private func text(_ reply: PageReply) -> String {
        guard case .bytes(let bytes) = reply.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func exited(_ status: Int32, _ output: String = "", _ errors: String = "") -> PageReply {
        FleetRunEnd.exited(status, output: Array(output.utf8), errors: Array(errors.utf8)).reply
    }

    @Test func `an answer is passed on as it is`() {
        let reply = exited(0, #"{"rows":[]}"#, "offstage: a remark\n")
        #expect(reply.status == 200 && reply.type == "application/json" && text(reply) == #"{"rows":[]}"#)
    }

    @Test func `a refusal is the program's sentence without its name`() {
        let refused = exited(3, "", "offstage: The fleet's database cannot be reached: it does not answer.\n")
        #expect(refused.status == 503)
        #expect(text(refused) == #"{"error":"The fleet's database cannot be reached: it does not answer."}"#)
        let gone = exited(4, #"{"rows":[]}"#, "offstage: There is no row 7.\nTwo lines.\n")
        #expect(gone.status == 404 && text(gone) == #"{"error":"There is no row 7. Two lines."}"#)
        #expect(text(exited(2)) == #"{"error":"offstage-fleet has failed without saying why."}"#)
    }

    @Test func `nothing that it says can steer a terminal or break the answer`() {
        let said = text(exited(3, "", "offstage: \u{1B}[2J\"}\u{7}\u{202E}\n"))
        #expect(!said.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        #expect(said.contains(#"\"}"#))
    }

    @Test(arguments: [FleetRunEnd.killed, .late, .tooLong, .absent("It is not here.")])
    func `what is no answer is told in a sentence`(end: FleetRunEnd) {
        #expect(end.reply.status == 503 && text(end.reply).hasSuffix(#"."}"#) || text(end.reply).contains("try again."))
    }

    @Test func `what is no document is not passed on`() {
        for output in ["", "[]", "offstage-fleet 0.1.0", "<script>"] {
            #expect(exited(0, output).status == 503 && text(exited(0, output)).contains("update it"))
        }
    }
}
