// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit

// TaskApp FOLDER [WORD…]: registers handlers as the words say (AppDelegate.swift), writes what happens to it into FOLDER/log, does
// what FOLDER/orders says, and in its handlers what FOLDER/behaviour says (Handlers.swift).
Log.shared.note("started \(getpid())")
if CommandLine.arguments.contains("off-stage") {
    // A program that is no app.
    let handlers = Handlers.shared
    handlers.register("nil", "org.example.tasks.refresh")
    handlers.submit(["refresh", "org.example.tasks.refresh"])
    handlers.listPending()
    exit(0)
}
// A session that is there before the app is on stage.
if CommandLine.arguments.contains("session-first") { Sessions.shared.open("first") }
exit(UIApplicationMain(CommandLine.argc, CommandLine.unsafeArgv, nil, NSStringFromClass(AppDelegate.self)))
