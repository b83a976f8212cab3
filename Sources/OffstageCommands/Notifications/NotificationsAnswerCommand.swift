// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage notifications answer APP NOTIFICATION` simulates a click on a delivered notification.
package struct NotificationsAnswerCommand: Command {
    package static let path = ["notifications", "answer"]
    package static let summary = "Answer a delivered notification, as a click does."
    package static let synopsis = ["APP NOTIFICATION [OPTION…]"]
    package static let discussion = """
        The app receives it in userNotificationCenter(_:didReceive:withCompletionHandler:). As on a phone, the notification
        itself and actions with the option 'foreground' bring the app to the front, or launch it; for other actions it runs
        in the background, for 30 s at most. No desktop is needed, so this can be tested anywhere.
        """
    package static let options = [
        CommandOption("--action", value: "ID", help: "choose this action of its category, not the notification itself"),
        CommandOption("--text", value: "TEXT", help: "what was typed, for an action that takes text"),
        CommandOption("--dismiss", help: "remove it; the app is notified if its category says so"),
    ]
    package static let operands = OperandKind.apps
    package static let examples = [
        CommandExample("offstage notifications answer plants water-fern", "the app opens"),
        CommandExample(
            "offstage notifications answer plants water-fern --action later",
            "the app handles it in the background"
        ),
    ]

    let app: String
    let notification: String
    let answer: NotificationAnswer

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let action = arguments.takeValue("--action")
        let text = arguments.takeValue("--text")
        let dismisses = arguments.takeFlag("--dismiss")
        let words = arguments.takeOperands()
        guard words.count == 2 else {
            throw UsageError("name an app and one of its notifications; 'offstage notifications' shows them")
        }
        if dismisses, action != nil || text != nil {
            throw UsageError("--dismiss cannot be combined with --action or --text")
        }
        if text != nil, action == nil { throw UsageError("--text needs an --action that takes text") }
        (app, notification) = (words[0], words[1])
        let usual = dismisses ? NotificationAnswer.dismissAction : NotificationAnswer.defaultAction
        answer = NotificationAnswer(action: action ?? usual, text: text)
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connection = try context.connect()
        let id = try connection.app(app, context).id
        _ = try connection.send(AnswerNotification(app: id, identifier: notification, answer: answer))
        if context.printsJSON {
            context.output.print(try JSONText.of(["app": id, "notification": notification, "action": answer.action]))
        } else {
            context.output.print(
                "Answered '\(notification.redactedControls)'; 'offstage app log \(id)' shows the result."
            )
        }
        return .success
    }
}
