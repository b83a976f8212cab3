// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

@Suite struct NotificationStoreTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func record(
        _ identifier: String,
        app: String = "org.example.plants",
        _ phase: NotificationRecord.Phase? = nil
    ) -> NotificationRecord {
        var content = NotificationContent()
        content.title = "Gießen"
        content.userInfo = Data([0, 1, 255])
        let due = Deadline(setAt: StoreFixture.now, delay: 60)
        return NotificationRecord(
            app: app,
            request: LocalNotification(
                identifier: identifier,
                content: content,
                trigger: .interval(seconds: 60, repeats: false)
            ),
            phase: phase ?? .pending(.deadline(due))
        )
    }

    @Test func `each place of an identifier has its row, and the last counts`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        let answer = NotificationAnswer(action: "later", text: "in an hour")
        let date = StoreFixture.now.wall
        var standing = NotificationStanding(app: "org.example.plants")
        standing.options = 6
        let records = [
            record("a"), record("a", .delivered(date)),
            record("a", .answered(answer, delivered: date, number: 9, attempts: 1)),
        ]
        try await store.commit(tasks: records.map { .notification(.put($0)) } + [.notification(.putStanding(standing))])
        try await store.commit(tasks: [.notification(.put(record("a")))])
        store.close()
        let again = try SQLiteStore.open(path: fixture.path).store
        defer { again.close() }
        let kept = try again.notifications()
        #expect(kept.records == records)
        #expect(kept.standings == [standing])
        try await again.commit(tasks: [.notification(.delete(app: "org.example.plants", identifier: "a", .delivered))])
        #expect(try again.notifications().records == [records[0], records[2]])
        try await again.commit(tasks: [.notification(.deleteApp("org.example.plants"))])
        #expect(try again.notifications().records.isEmpty)
        #expect(try again.notifications().standings.isEmpty)
    }

    @Test func `rows that are no use are left out`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        try await store.commit(tasks: ["a", "b", "c", "d"].map { .notification(.put(record($0))) })
        store.close()
        try fixture.sql("UPDATE notifications SET record = X'00FF' WHERE identifier = 'a'")
        try fixture.sql("UPDATE notifications SET app = 'another' WHERE identifier = 'b'")
        try fixture.sql("UPDATE notifications SET place = 77 WHERE identifier = 'c'")
        let again = try SQLiteStore.open(path: fixture.path).store
        defer { again.close() }
        #expect(try again.notifications().records == [record("d")])
    }
}
