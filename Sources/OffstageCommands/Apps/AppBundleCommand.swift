// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// `offstage app bundle EXECUTABLE --plist FILE` makes a `.app`.
package struct AppBundleCommand: Command {
    package static let path = ["app", "bundle"]
    package static let summary = "Make a Name.app from an executable and its Info.plist."
    package static let synopsis = ["[OPTION…] EXECUTABLE --plist FILE"]
    package static let discussion = """
        This gives each of several programs in one build folder its own Info.plist. The executable is a hard link to the
        same file if possible, otherwise a copy: bundle it again, with --force, after each build. If the Info.plist is
        XML, a missing CFBundleExecutable is added, and '$(EXECUTABLE_NAME)', '$(PRODUCT_NAME)', '$(TARGET_NAME)' and
        '$(PRODUCT_BUNDLE_IDENTIFIER)' are filled in, as Xcode does.
        """
    package static let options = [
        CommandOption("--plist", value: "FILE", help: "the Info.plist, XML or binary"),
        CommandOption("--identifier", value: "ID", help: "its CFBundleIdentifier, if it has none"),
        CommandOption("--output", "-o", value: "FOLDER", help: "where to put it (default: beside the executable)"),
        CommandOption("--force", "-f", help: "replace an existing Name.app"),
    ]
    package static let operands = OperandKind.files
    package static let examples = [
        CommandExample(
            "offstage app bundle .build/debug/dropoff --plist Sources/dropoff/Info.plist",
            "makes .build/debug/dropoff.app"
        ),
        CommandExample(
            "offstage app bundle .build/debug/dropoff --plist Info.plist --output ~/apps --force",
            "replaces ~/apps/dropoff.app"
        ),
    ]

    let executable: String
    let plist: String
    let identifier: String?
    let output: String?
    let replaces: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        replaces = arguments.takeFlag("--force")
        output = arguments.takeValue("--output")
        identifier = arguments.takeValue("--identifier")
        let words = arguments.takeOperands()
        guard let first = words.first, !first.isEmpty else { throw UsageError("name an executable") }
        guard words.count == 1 else {
            throw UsageError("'\(words[1].redactedControls)' is one too many: name one executable")
        }
        guard let file = arguments.takeValue("--plist"), !file.isEmpty else {
            throw UsageError("give its Info.plist with --plist FILE")
        }
        (executable, plist) = (first, file)
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let bundle = try AppBundle(
            executable: try context.absolute(executable),
            plist: try context.absolute(plist),
            identifier: identifier,
            folder: output.map(context.absolute)
        )
        let isLinked = try bundle.make(replaces: replaces)
        if context.printsJSON {
            let document = Document(
                app: bundle.information.identifier,
                path: bundle.path,
                executable: bundle.path + "/" + bundle.name,
                isLinked: isLinked
            )
            context.output.print(try JSONText.of(document))
        } else {
            let path = bundle.path.redactedControls
            context.output.print("Made \(path); 'offstage app install \(path)' registers it.")
        }
        return .success
    }

    struct Document: Encodable {
        let app: String
        let path: String
        let executable: String
        let isLinked: Bool
    }
}
