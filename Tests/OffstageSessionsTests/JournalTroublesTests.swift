// SPDX-License-Identifier: Apache-2.0
import OffstageSessions
import Testing

@Suite struct `What of journals could not be taken in` {
    private var troubles = JournalTroubles()

    @Test mutating func `each app has one sentence, with the last trouble and how many there were`() {
        #expect(troubles.notices.isEmpty)
        troubles.add("three bytes", of: "b")
        troubles.add("its journal is gone", of: "a")
        troubles.add("a record", of: "b")
        #expect(
            troubles.notices == [
                "Something that the app a handed over was left out: its journal is gone.",
                "Something that the app b handed over was left out (2 times): a record.",
            ]
        )
    }

    @Test mutating func `journals that the store has no entry of are one sentence, with the path of the first`() {
        troubles.add(unknown: [])
        #expect(troubles.notices.isEmpty)
        troubles.add(unknown: ["/j/a.journal.damaged"])
        #expect(troubles.notices.first?.contains("no entry of a journal kept as /j/a.journal.damaged") == true)
        troubles.add(unknown: ["/j/b.journal.damaged"])
        troubles.add("a record", of: "a")
        #expect(troubles.notices.count == 2)
        #expect(troubles.notices.first?.contains("2 journals, the first kept as /j/a.journal.damaged") == true)
    }

    @Test mutating func `so many apps say enough, and the last one is among them`() {
        for number in 0...JournalTroubles.most { troubles.add("a record", of: "app-\(number)") }
        #expect(troubles.notices.count == JournalTroubles.most)
        let last = "app app-\(JournalTroubles.most) "
        #expect(troubles.notices.contains { $0.contains(last) })
    }

    @Test mutating func `what an app wrote makes no sentence that does not fit an answer`() throws {
        troubles.add(String(repeating: "ä", count: 1 << 20), of: "a")
        let sentence = try #require(troubles.notices.first)
        #expect(sentence.utf8.count < JournalTroubles.longest + 100)
        #expect(sentence.hasSuffix("ä…."))
    }
}
