// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage app pressure [ID]` simulates memory pressure, without filling the machine's memory.
package struct AppPressureCommand: Command {
    package static let path = ["app", "pressure"]
    package static let summary = "Simulate memory pressure: reclaim a suspended app, or warn the running ones."
    package static let synopsis = ["[ID]"]
    package static let discussion = """
        Each call reclaims the least recently used suspended app; if no app is suspended, the running ones receive
        applicationDidReceiveMemoryWarning. With ID, only that app is warned.
        """
    package static let operands = OperandKind.apps
    package static let examples = [
        CommandExample("offstage app pressure", "one step of what happens when memory is low"),
        CommandExample("offstage app pressure dropoff", "a memory warning for one running app"),
    ]

    let app: String?

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let words = arguments.takeOperands()
        guard words.count <= 1 else { throw UsageError("'\(words[1])' is one too many: name at most one app") }
        app = words.first
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connection = try context.connect()
        if let app {
            let id = try connection.app(app, context).id
            _ = try connection.send(ActOnApp(app: id, verb: .memoryWarning, waits: false))
            try report(Document(suspended: [], running: [id]), "Warned \(id.redactedControls).", context)
            return .success
        }
        let rows = try connection.send(ListApps()).rows
        _ = try connection.send(SimulateMemoryPressure())
        let running: [LifeState] = [.inactive, .active, .background]
        let document = Document(
            suspended: rows.filter { $0.state == .suspended }.map(\.id),
            running: rows.filter { running.contains($0.state) }.map(\.id)
        )
        try report(document, Self.sentence(document), context)
        return .success
    }

    private func report(_ document: Document, _ sentence: String, _ context: CommandContext) throws {
        context.output.print(context.printsJSON ? try JSONText.of(document) : sentence)
    }

    /// The consequence, given the apps that existed when low memory was reported.
    static func sentence(_ document: Document) -> String {
        switch (document.suspended.count, document.running.isEmpty) {
        case (0, true): return "No app is running: there is nothing to reclaim or warn."
        case (0, false):
            return "No app is suspended; warned \(document.running.map(\.redactedControls).joined(separator: ", "))."
        case (1, _): return "Reclaiming the suspended app \(document.suspended[0].redactedControls)."
        default: return "Reclaiming the least recently used of \(document.suspended.count) suspended apps."
        }
    }

    /// The apps that were suspended, and those that were running, when low memory was reported.
    struct Document: Encodable {
        let suspended: [String]
        let running: [String]
    }
}
