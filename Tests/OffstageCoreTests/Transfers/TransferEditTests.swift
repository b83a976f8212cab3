// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// A person's changes to a transfer that was handed over.
@Suite struct TransferEditTests {
    private let now = Fixture.moment(10)

    private func edit(_ change: (inout TransferEdit) -> Void) -> TransferEdit {
        var edit = TransferEdit()
        change(&edit)
        return edit
    }

    /// The effect of each kind of change in each state: the new state and actions, or a refusal.
    private func outcomes(_ edit: TransferEdit, isUpload: Bool = false) throws -> [TransferStage: String] {
        var outcomes: [TransferStage: String] = [:]
        for stage in TransferStage.allCases {
            var transfer = try stage.transfer(isUpload: isUpload)
            if edit.refusal(by: transfer) != nil {
                outcomes[stage] = "refused"
            } else {
                let actions = edit.apply(to: &transfer, now: now).actions
                outcomes[stage] = TransferStage.render(transfer, actions)
            }
        }
        return outcomes
    }

    @Test func `priority can be changed of whatever is not complete`() throws {
        let found = try outcomes(edit { $0.priority = 1 })
        #expect(found[.queued] == "queued: dequeue enqueue")
        #expect(found[.running] == "running(1 from 20):")
        #expect(found[.saving] == "saving(200):")
        #expect(found[.waitingForChallenge] == "challenge(0):")
        #expect(found[.failed] == "failed(connectionLost):")
        #expect(found[.completed] == "refused")
        var transfer = try TransferStage.running.transfer(isUpload: false)
        _ = edit { $0.priority = 1 }.apply(to: &transfer, now: now)
        #expect(transfer.spec.priority == 1)
    }

    @Test func `another URL begins anew, and not under way`() throws {
        let url = try RequestURL("https://files.example.org/b")
        let found = try outcomes(edit { $0.url = url })
        #expect(found[.queued] == "queued: deletePartial dequeue enqueue")
        #expect(found[.waitingForRetry] == "queued: deletePartial enqueue")
        #expect(found[.waitingForCredentials] == "queued: deletePartial enqueue")
        #expect(found[.waitingForDate] == "date: deletePartial")
        #expect(found[.waitingForOthers] == "after(7, 8): deletePartial")
        #expect(found[.paused] == "paused(700): deletePartial")
        #expect(found[.failed] == "failed(connectionLost): deletePartial")
        for stage in [TransferStage.running, .saving, .completed, .waitingForChallenge, .waitingToBegin] {
            #expect(found[stage] == "refused")
        }
        #expect(try outcomes(edit { $0.url = url }, isUpload: true)[.queued] == "queued: dequeue enqueue")
        var transfer = try TransferStage.paused.transfer(isUpload: false)
        _ = edit { $0.url = url }.apply(to: &transfer, now: now)
        #expect(transfer.partial == nil)
        #expect(transfer.bytesDone == 0)
        #expect(transfer.spec.url == url)
        // The URL that it already has is not a change.
        var same = try TransferStage.paused.transfer(isUpload: false)
        #expect(edit { $0.url = same.spec.url }.apply(to: &same, now: now).actions == [])
        #expect(same.bytesDone == 40)
    }

    @Test func `to another server goes nothing that was meant for one`() throws {
        func moved(to url: String) throws -> (TransferSpec, dropped: [String]) {
            var transfer = try TransferStage.queued.transfer(isUpload: false)
            transfer.spec.headers = ["Authorization: a", "X-Api-Key: b", "Accept: c"].map {
                let parts = $0.split(separator: ": ")
                return HeaderField(name: String(parts[0]), value: String(parts[1]))
            }
            transfer.spec.credentials = .init(user: "me", password: "secret")
            var connection = ConnectionOptions()
            connection.acceptsAnyCertificate = true
            (connection.certificatePath, connection.keyPath) = ("/c", "/k")
            transfer.spec.connection = connection
            let url = try RequestURL(url)
            let dropped = edit { $0.url = url }.apply(to: &transfer, now: now).dropped
            return (transfer.spec, dropped)
        }
        let here = try moved(to: "https://files.example.org/other")
        #expect(here.dropped.isEmpty)
        #expect(here.0.headers.count == 3)
        #expect(here.0.credentials != nil)
        for url in ["https://elsewhere.example/a", "http://files.example.org/a", "https://files.example.org:444/a"] {
            let there = try moved(to: url)
            #expect(there.0.headers.map(\.name) == ["Accept"])
            #expect(there.0.credentials == nil)
            #expect(there.0.connection == nil)
            #expect(there.dropped.count == 5)
            #expect(!there.dropped.joined().contains("secret"))
        }
    }

    @Test func `a begin date makes it wait, and one that has passed lets it go`() throws {
        let later = try outcomes(edit { $0.earliestBegin = now.wall + 60 })
        #expect(later[.queued] == "date: dequeue wakeAt(70)")
        #expect(later[.waitingForRetry] == "date: wakeAt(70)")
        #expect(later[.waitingForDate] == "date: wakeAt(70)")
        #expect(later[.waitingForOthers] == "after(7, 8):")
        #expect(later[.paused] == "paused(700):")
        #expect(later[.failed] == "refused")
        #expect(later[.running] == "refused")
        let past = try outcomes(edit { $0.earliestBegin = now.wall - 1 })
        #expect(past[.waitingForDate] == "queued: enqueue wake(1000)")
        #expect(past[.queued] == "queued: dequeue enqueue")
        var transfer = try TransferStage.queued.transfer(isUpload: false)
        _ = edit { $0.earliestBegin = now.wall + 60 }.apply(to: &transfer, now: now)
        #expect(transfer.expiry == nil)
    }

    @Test func `a new begin date counts again after a pause`() throws {
        let date = now.wall + 3600
        var edit = TransferEdit()
        edit.earliestBegin = date
        var transfer = try TransferStage.paused.transfer(isUpload: false)
        _ = edit.apply(to: &transfer, now: now)
        #expect(transfer.spec.earliestBegin == date)
        #expect(transfer.resume(now: now) == [.wakeAt(date)])
    }

    @Test func `what has arrived stays in its directory`() throws {
        func refusal(_ path: String, isUpload: Bool = false, arrived: Int64 = 40) throws -> String? {
            var transfer = try TransferStage.paused.transfer(isUpload: isUpload)
            transfer.bytesDone = arrived
            return edit { $0.path = path }.refusal(by: transfer)
        }
        #expect(try refusal("/tmp/other") == nil)
        #expect(try refusal("/home/other")?.contains("another directory") == true)
        #expect(try refusal("/home/other", arrived: 0) == nil)
        #expect(try refusal("/tmp/other", isUpload: true)?.contains("upload") == true)
        var transfer = try TransferStage.paused.transfer(isUpload: false)
        _ = edit { $0.path = "/tmp/other" }.apply(to: &transfer, now: now)
        #expect(transfer.spec.path == "/tmp/other")
        #expect(transfer.bytesDone == 40)
    }

    @Test func `what an app or an account says is not changed`() throws {
        let url = try RequestURL("https://elsewhere.example/a")
        let session = try TransferStage.queued.transfer(isUpload: false, isSession: true)
        #expect(edit({ $0.url = url }).refusal(by: session)?.contains("only the app") == true)
        #expect(edit({ $0.priority = 0 }).refusal(by: session) == nil)
        var upload = try TransferStage.queued.transfer(isUpload: true)
        upload.spec.dialect = DialectSpec(name: "dropbox", parameters: "{}", destination: "dropbox:/a")
        #expect(edit({ $0.url = url }).refusal(by: upload)?.contains("dropbox:/a") == true)
    }
}
