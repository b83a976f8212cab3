// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit
import OffstageUserNotifications

// NoticeApp FOLDER [WORD…]: logs its events to FOLDER/log, and carries out the orders in FOLDER/orders. With `silent`
// it has no delegate for notifications; with `shows` it shows notifications that are due in the foreground; with
// `crashes` it crashes at a response.
Log.shared.note("started \(getpid())")
exit(UIApplicationMain(CommandLine.argc, CommandLine.unsafeArgv, nil, NSStringFromClass(AppDelegate.self)))
