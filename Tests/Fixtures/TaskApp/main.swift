// SPDX-License-Identifier: Apache-2.0
import OffstageBackgroundTasks
import OffstageUIKit

final class AppDelegate: UIResponder, UIApplicationDelegate {}

exit(UIApplicationMain(CommandLine.argc, CommandLine.unsafeArgv, nil, NSStringFromClass(AppDelegate.self)))
