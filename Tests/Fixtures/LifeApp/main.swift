// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit

// LifeApp FOLDER [own-loop] [ignores-term] [async] [scenes] [plain [listens]]: logs its events to FOLDER/log, and
// carries out the orders in FOLDER/orders.
if CommandLine.arguments.contains("ignores-term") { signal(SIGTERM, SIG_IGN) }
Log.shared.note("started \(getpid())")
if CommandLine.arguments.contains("own-loop") {
    let loop = OwnLoop()
    UIApplication.takeStage(with: AppDelegate()) { work in loop.perform(work) }
    Log.shared.note("took the stage")
    loop.run()
} else {
    var delegate: AnyClass = AppDelegate.self
    if CommandLine.arguments.contains("async") { delegate = AsyncAppDelegate.self }
    if CommandLine.arguments.contains("scenes") { delegate = SceneAppDelegate.self }
    if CommandLine.arguments.contains("plain") { delegate = PlainAppDelegate.self }
    UIApplicationMain(CommandLine.argc, CommandLine.unsafeArgv, nil, NSStringFromClass(delegate))
}
