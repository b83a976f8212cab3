// SPDX-License-Identifier: Apache-2.0
import OffstagePage
import Testing

/// The reply to a page about the result of another process of this program.
@Suite struct PageErrandTests {
    private func text(_ reply: PageReply) -> String {
        guard case .bytes(let bytes) = reply.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func exited(_ status: Int32, _ output: String = "", _ errors: String = "") -> FleetRunEnd {
        .exited(status, output: Array(output.utf8), errors: Array(errors.utf8))
    }

    @Test(arguments: PageErrand.allCases)
    func `an answer is passed on, and a complaint without the program's name`(errand: PageErrand) {
        let answer = errand.reply(to: exited(0, "{}"))
        #expect(answer.status == 200 && answer.type == "application/json" && text(answer) == "{}")
        let refused = errand.reply(to: exited(1, "", "offstage-page: No daemon\u{202E} was found.\n"))
        #expect(refused.status == 503 && text(refused).contains("{\"error\":\"No daemon"))
        #expect(!text(refused).contains("offstage-page") && !text(refused).unicodeScalars.contains("\u{202E}"))
    }

    @Test(arguments: PageErrand.allCases)
    func `what is no answer is told in a sentence`(errand: PageErrand) {
        for end in [
            FleetRunEnd.killed, .late, .tooLong, .absent("It is not here."), exited(0), exited(0, "x"), exited(2),
        ] {
            let reply = errand.reply(to: end)
            #expect(reply.status == 503 && text(reply).hasPrefix("{\"error\":\"") && text(reply).contains(".\"}"))
        }
    }

    @Test func `a person waits no longer than for a program that asks a fleet, and little more`() {
        for errand in PageErrand.allCases { #expect((10...60).contains(errand.patience)) }
    }
}
