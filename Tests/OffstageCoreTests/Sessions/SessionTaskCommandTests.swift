// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// All commands of an app, in every state that its task may be in.
@Suite struct SessionTaskCommandTests {
    private static let now = Fixture.moment(10)
    private static let finished: [TransferStage] = [.completed, .failed, .cancelled]

    private func task(_ stage: TransferStage, isUpload: Bool) throws -> Transfer {
        try stage.transfer(isUpload: isUpload, isSession: true)
    }

    private static let commands: [SessionTaskCommand] = [
        .suspend, .resume, .cancel, .cancelProducingResumeData, .cancelForQuit, .setPriority(0.75),
        .setDescription("new"),
        .answer(.performDefaultHandling), .answer(.credential(user: "a", password: "b")), .answer(.trustKey("k")),
        .answer(.cancel), .answer(.continueLoading),
    ]

    @Test(arguments: TransferStage.allCases, [true, false])
    func `a command does what the rule of its name does, and nothing to what has ended`(
        stage: TransferStage,
        isUpload: Bool
    ) throws {
        for command in Self.commands {
            var asked = try task(stage, isUpload: isUpload)
            var expected = asked
            let actions = command.apply(to: &asked, now: Self.now)
            if Self.finished.contains(stage) {
                #expect(actions == nil, "\(command)")
                #expect(asked == expected)
                continue
            }
            let wanted: [TransferAction]?
            switch command {
            case .suspend: wanted = expected.pause(reached: expected.bytesDone, now: Self.now)
            case .resume: wanted = stage == .paused ? expected.resume(now: Self.now) : nil
            case .cancel: wanted = expected.cancel(now: Self.now)
            case .cancelProducingResumeData: wanted = expected.cancelProducingResumeData(now: Self.now)
            case .cancelForQuit: wanted = expected.cancelForQuit(now: Self.now)
            case .setPriority(let priority):
                expected.spec.priority = priority
                wanted = stage == .queued ? [.dequeue, .enqueue] : []
            case .setDescription(let text):
                expected.spec.label = text
                wanted = []
            case .answer(let answer): wanted = expected.delegateAnswered(answer, now: Self.now)
            }
            #expect(actions == wanted, "\(command)")
            #expect(asked == expected, "\(command)")
        }
    }

    @Test(arguments: TransferStage.allCases.filter { ![.waitingForChallenge, .waitingToBegin].contains($0) })
    func `nothing is an app's to ask of a transfer of the command`(stage: TransferStage) throws {
        for command in Self.commands {
            var transfer = try stage.transfer(isUpload: true)
            let before = transfer
            #expect(command.apply(to: &transfer, now: Self.now) == nil)
            #expect(transfer == before)
        }
    }

    @Test func `a priority that is the same or none changes nothing`() throws {
        for priority in [0.5, -1, 2, .nan] {
            var transfer = try task(.queued, isUpload: true)
            #expect(SessionTaskCommand.setPriority(priority).apply(to: &transfer, now: Self.now) == nil)
        }
    }

    @Test func `a new request that cannot be sent ends the task`() throws {
        let url = try RequestURL("https://files.example.org/b")
        var good = try task(.waitingToBegin, isUpload: true)
        let answer = DelegateAnswer.useNewRequest(url: url, method: "POST", headers: [])
        #expect(SessionTaskCommand.answer(answer).apply(to: &good, now: Self.now)?.contains(.enqueue) == true)
        #expect(good.spec.method == "POST")
        var bad = try task(.waitingToBegin, isUpload: true)
        let nonsense = DelegateAnswer.useNewRequest(url: url, method: "P OST", headers: [])
        #expect(SessionTaskCommand.answer(nonsense).apply(to: &bad, now: Self.now) != nil)
        #expect(bad.isFinished)
        #expect(bad.outcome?.isSuccess == false)
    }

    private func form(_ stage: TransferStage) throws -> (transfer: Transfer, form: FormBody) {
        var transfer = try task(stage, isUpload: true)
        let form = FormBody(parts: [.init(name: "a", content: .value("b"))])
        transfer.spec.direction = .form(form)
        transfer.spec.method = "POST"
        transfer.spec.setContentTypeOfForm()
        return (transfer, form)
    }

    /// The request is the app's own, which need not have a form's `Content-Type`.
    @Test(arguments: ["", "text/plain"])
    func `a new request of a form is sent with the form's own Content-Type`(type: String) throws {
        let url = try RequestURL("https://files.example.org/b")
        var (asked, form) = try form(.waitingToBegin)
        let token = HeaderField(name: "X-Token", value: "fresh")
        let headers = type.isEmpty ? [token] : [token, HeaderField(name: "content-type", value: type)]
        let answer = DelegateAnswer.useNewRequest(url: url, method: "POST", headers: headers)
        #expect(SessionTaskCommand.answer(answer).apply(to: &asked, now: Self.now)?.contains(.enqueue) == true)
        #expect(asked.spec.url == url)
        #expect(asked.spec.headers == [token, .init(name: "Content-Type", value: form.contentType)])
        try asked.spec.validate()
    }

    /// A request is a GET until its method is set.
    @Test(arguments: [("GET", "POST"), ("POST", "POST"), ("PUT", "PUT")])
    func `a new request of a form is posted unless it says otherwise`(method: String, sent: String) throws {
        var (asked, _) = try form(.waitingToBegin)
        let answer = DelegateAnswer.useNewRequest(url: asked.spec.url, method: method, headers: [])
        _ = SessionTaskCommand.answer(answer).apply(to: &asked, now: Self.now)
        #expect(asked.spec.method == sent)
    }

    @Test func `a new request of an upload to an account changes nothing but that it begins`() throws {
        var asked = try task(.waitingToBegin, isUpload: true)
        asked.spec.dialect = DialectSpec(name: "dropbox", parameters: "{}", destination: "dropbox:/a")
        let before = asked.spec
        let url = try RequestURL("https://elsewhere.example.org/b")
        let answer = DelegateAnswer.useNewRequest(url: url, method: "PUT", headers: [.init(name: "X-A", value: "b")])
        #expect(SessionTaskCommand.answer(answer).apply(to: &asked, now: Self.now)?.contains(.enqueue) == true)
        #expect(asked.spec.asksBeforeBegin == nil)
        asked.spec.asksBeforeBegin = before.asksBeforeBegin
        #expect(asked.spec == before)
    }

    @Test func `a description that is too long for a transfer is cut, and does not fail the task`() throws {
        var transfer = try task(.queued, isUpload: true)
        let most = TransferSpec.Limits.textBytes
        let text = String(repeating: "a", count: most - 1) + "ä"
        #expect(SessionTaskCommand.setDescription(text).apply(to: &transfer, now: Self.now) == [])
        #expect(transfer.spec.label?.utf8.count == most - 1)
        try transfer.spec.checkSize()
        #expect(SessionTaskCommand.setDescription(text).apply(to: &transfer, now: Self.now) == nil)
    }

    @Test func `an answer that is too long for a transfer ends the task that waits for it`() throws {
        let long = String(repeating: "a", count: TransferSpec.Limits.textBytes + 1)
        let answers: [DelegateAnswer] = [
            .credential(user: long, password: ""), .credential(user: "", password: long), .trustKey(long),
        ]
        for answer in answers {
            var asked = try task(.waitingForChallenge, isUpload: true)
            let actions = SessionTaskCommand.answer(answer).apply(to: &asked, now: Self.now)
            #expect(actions != nil)
            #expect(asked.isFinished)
            #expect(asked.outcome?.isSuccess == false)
            try asked.spec.checkSize()
            // This task has no open question.
            var other = try task(.queued, isUpload: true)
            let nothing = SessionTaskCommand.answer(answer).apply(to: &other, now: Self.now)
            #expect(nothing == nil)
            #expect(try other == task(.queued, isUpload: true))
        }
    }
}
