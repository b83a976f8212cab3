// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage change ID… --priority high` changes transfers that were handed over.
package struct ChangeCommand: Command {
    package static let path = ["change"]
    package static let summary = "Change priority, begin, label, notification, URL or file of a transfer."
    package static let synopsis = ["OPTION… ID…", "--url URL ID", "-o FILE ID"]
    package static let discussion = """
        Priority, label and notification can be changed at any time, the rest only while a transfer is not under way: pause
        it first, and resume it afterwards. With another URL a transfer starts from the beginning; credentials, and headers
        that may contain them, are not sent to another server. --begin now, or '', removes a date. Change a failed
        transfer first, then use 'offstage retry'.
        """
    package static let options =
        [
            TransferOptions.priority,
            TransferOptions.begin,
            TransferOptions.notify, TransferOptions.noNotify,
            CommandOption("--label", value: "TEXT", help: "a name of your own; '' for none"),
            CommandOption("--url", value: "URL", help: "where it goes to or comes from; for one transfer"),
            CommandOption(
                "--output",
                "-o",
                value: "FILE",
                kind: .file,
                help: "the file of a download; for one transfer"
            ),
        ] + elsewhere.map { CommandOption(hiddenNames: $0.names, value: $0.value) }

    /// Options of a transfer that this command does not change.
    private static let elsewhere: [CurlOptions.Refusal] = [
        (["--limit-rate"], "SPEED", "a limit is changed with 'offstage limit ID SPEED'"),
        (["--header", "-H"], "HEADER", "a header is set with 'offstage header set ID HEADER'"),
        (
            ["--proxy", "-x", "--noproxy"], "URL",
            "a proxy cannot be changed: cancel the transfer and hand it over again with another"
        ),
        (
            ["--after"], "ID",
            "what a transfer waits for cannot be changed: 'offstage retry ID' starts it without that, or hand it over again"
        ),
        (
            ["--max-time", "--retry", "--checksum", "--on-done", "--user", "-u"], "VALUE",
            "it cannot be changed: cancel the transfer and hand it over again with another"
        ),
    ]
    package static let operands = OperandKind.transfers
    package static let examples = [
        CommandExample("offstage change 7-9 --priority high", "move these ahead in the queue"),
        CommandExample("offstage change 7 --begin 23:00", "not before eleven at night"),
        CommandExample("offstage change 7 --begin now", "remove its date"),
        CommandExample("offstage change 7 --url https://mirror.example/disk.iso", "fetch it from elsewhere"),
    ]

    let ids: [TransferID]
    let priority: Double?
    let begin: String?
    let label: String?
    let url: String?
    let output: String?
    let notify: Bool?

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        try CurlOptions.refuse(Self.elsewhere, &arguments)
        priority = try arguments.takeValue("--priority", "low, normal, high or a number from 0 to 1", Quantity.priority)
        begin = arguments.takeValue("--begin")
        label = arguments.takeValue("--label")
        url = arguments.takeValue("--url")
        output = arguments.takeValue("--output")
        notify = try TransferOptions.takeNotify(&arguments)
        ids = try IDArguments.parse(arguments.takeOperands())
        guard !ids.isEmpty else { throw UsageError("name a transfer's number; 'offstage list' shows them") }
        guard priority != nil || begin != nil || label != nil || url != nil || output != nil || notify != nil else {
            throw UsageError("name what to change: --priority, --begin, --label, --notify, --url or --output")
        }
        guard ids.count == 1 || url == nil && output == nil else {
            throw UsageError("--url and --output are for one transfer at a time")
        }
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let edit = try edit(context)
        let connection = try context.connect()
        for id in ids {
            let dropped = try connection.send(ChangeTransfer(id: id, edit: edit)).dropped
            guard !dropped.isEmpty, let url = edit.url else { continue }
            context.output.complain(
                "offstage: transfer \(id) does not send to \(url.host) what was meant for another server: \(dropped.joined(separator: ", ")); use 'offstage header set' to give it new headers."
                    .redactedControls
            )
        }
        if context.printsJSON {
            context.output.print(try JSONText.of(Document(ids: ids.map(\.rawValue))))
        } else {
            context.output.print("Changed: \(Submission.spans(ids)).")
        }
        return .success
    }

    private func edit(_ context: CommandContext) throws -> TransferEdit {
        var edit = TransferEdit()
        edit.priority = priority
        edit.label = label
        edit.notify = notify
        edit.earliestBegin = try begin.map { text in
            // A date in the past does not hold a transfer back, so it begins.
            text.isEmpty ? context.now() : try PointInTime.option(text, now: context.now())
        }
        edit.url = try url.map { try HostName.url($0) }
        if let output {
            let path = DownloadCommand.tidy(try context.absolute(output))
            try TargetFile.check(path, overwrites: false)
            edit.path = path
        }
        return edit
    }

    struct Document: Encodable {
        let ids: [Int64]
    }
}
