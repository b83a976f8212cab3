// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// `offstage app remove ID` forgets an app.
package struct AppRemoveCommand: AppActing {
    package static let path = ["app", "remove"]
    package static let summary = "Forget an app that is not running, with its story and its log."
    package static let synopsis = ["ID"]
    package static let discussion = "Its files and its transfers stay. It is registered again when it next runs."
    package static let options: [CommandOption] = []
    package static let examples = [CommandExample("offstage app remove dropoff", "nothing launches it any more")]

    package let app: String
    package var waits: Bool { true }
    package var verb: ActOnApp.Verb { .remove }

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        app = try AppName.parse(&arguments)
    }

    package func outcome(_ id: String, _ reply: ActOnApp.Reply) -> (String, ExitStatus) {
        ("Removed \(id).", .success)
    }
}
