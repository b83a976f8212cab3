// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit

// TaskApp FOLDER [WORD…]: registers handlers according to the words (AppDelegate.swift), logs its events to FOLDER/log,
// carries out the orders in FOLDER/orders, and in its handlers those in FOLDER/behaviour (Handlers.swift).
Log.shared.note("started \(getpid())")
if CommandLine.arguments.contains("off-stage") {
    // A program that is not an app.
    let handlers = Handlers.shared
    handlers.register("nil", "org.example.tasks.refresh")
    handlers.submit(["refresh", "org.example.tasks.refresh"])
    handlers.listPending()
    exit(0)
}
// A session that exists before the app is on stage.
if CommandLine.arguments.contains("session-first") { Sessions.shared.open("first") }
exit(UIApplicationMain(CommandLine.argc, CommandLine.unsafeArgv, nil, NSStringFromClass(AppDelegate.self)))
