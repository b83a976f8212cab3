// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// The payload of every message that a client may send. The first byte selects the message.
enum WireRequestTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let decode = kinds[input.choice(kinds.count)]
        decode(Array(input.rest()))
    }

    private static let kinds: [@Sendable ([UInt8]) -> Void] = [
        // People's requests.
        { check(SubmitTransfers.self, $0) }, { check(ListTransfers.self, $0) }, { check(ShowTransfers.self, $0) },
        { check(ActOnTransfers.self, $0) }, { check(SetRateLimit.self, $0) }, { check(SetHeaders.self, $0) },
        { check(WatchTransfers.self, $0) }, { check(GetStatus.self, $0) }, { check(StopDaemon.self, $0) },
        { check(Hello.self, $0) }, { check(HandOver.self, $0) }, { check(ReadTimeline.self, $0) },
        { check(ReadTimeline.Reply.self, $0) },
        // Accounts.
        { check(AddAccount.self, $0) }, { check(AddKeyAccount.self, $0) },
        { check(ListOpenUploads.self, $0) }, { check(AbortOpenUpload.self, $0) }, { check(CheckObject.self, $0) },
        { check(ListAccounts.self, $0) },
        { check(RemoveAccount.self, $0) },
        // Apps.
        { check(ListApps.self, $0) }, { check(ShowApp.self, $0) }, { check(ReadAppStory.self, $0) },
        { check(InstallApp.self, $0) }, { check(ActOnApp.self, $0) }, { check(SimulateMemoryPressure.self, $0) },
        { check(AttachApp.self, $0) }, { check(StageReport.self, $0) },
        // Sessions.
        { check(OpenApp.self, $0) }, { check(OpenSession.self, $0) }, { check(CloseSession.self, $0) },
        { check(ListSessionTasks.self, $0) }, { check(ListPendingEnds.self, $0) },
        { check(ListSessionTasks.Reply.self, $0) }, { check(SessionEvent.self, $0) },
        // Deferred work.
        { check(SubmitTask.self, $0) }, { check(CancelTasks.self, $0) }, { check(PendingTasks.self, $0) },
        { check(TaskRules.self, $0) }, { check(ListTasks.self, $0) }, { check(ShowTask.self, $0) },
        { check(ForecastTasks.self, $0) }, { check(SimulateTask.self, $0) }, { check(CancelTask.self, $0) },
        { check(AdvanceTime.self, $0) }, { check(PretendConditions.self, $0) }, { check(WatchTasks.self, $0) },
        // Later requests: the corpus counts from the front. scripts/lib/foreign_values.py looks for each request.
        { check(ChangeTransfer.self, $0) }, { check(ListQueueLines.self, $0) }, { check(GetMetrics.self, $0) },
        { check(ConfirmAccount.self, $0) }, { check(AttachKeeper.self, $0) }, { check(AnswerKeep.self, $0) },
        { check(SetFleetPolicy.self, $0) }, { check(SetFetchInterval.self, $0) }, { check(AttachDesktop.self, $0) },
        { check(ReportDesktop.self, $0) }, { check(AddNotification.self, $0) }, { check(AnswerNotification.self, $0) },
        { check(AuthorizeNotifications.self, $0) }, { check(GetNotifications.self, $0) },
        { check(ListNotifications.self, $0) }, { check(PresentNotification.self, $0) },
        { check(RemoveNotifications.self, $0) }, { check(SetNotificationCategories.self, $0) },
        { check(TakeNotificationErrand.self, $0) }, { check(GetConditions.self, $0) },
    ]

    /// A message that can be decoded can be encoded, and is the same when decoded again.
    private static func check<Message: Codable>(_ type: Message.Type, _ bytes: [UInt8]) {
        guard let message = try? WireCoding.decode(type, from: bytes) else { return }
        guard let written = try? WireCoding.encode(message) else {
            return promise(false, "a \(type) that was read cannot be written")
        }
        promise((try? WireCoding.decode(type, from: written)) != nil, "a \(type) that was written cannot be read")
    }
}
