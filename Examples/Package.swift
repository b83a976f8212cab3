// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Programs of outsiders: what an app's author writes, who knows Apple's API and nothing of Offstage.

/// The two flags that bring Offstage into every file, so that one with `import Foundation` alone compiles
/// (docs/urlsession.md).
let withOffstage: SwiftSetting = .unsafeFlags([
    "-Xfrontend", "-import-module",
    "-Xfrontend", "Offstage",
])

/// The flags for an app that imports UIKit: the name means OffstageUIKit here (docs/uikit.md), in every file.
let withUIKit: SwiftSetting = .unsafeFlags([
    "-module-alias", "UIKit=OffstageUIKit",
    "-Xfrontend", "-import-module",
    "-Xfrontend", "OffstageUIKit",
])

/// As `withUIKit`, for an app that imports BackgroundTasks too: that name means OffstageBackgroundTasks (docs/background-tasks.md).
let withBackgroundTasks: SwiftSetting = .unsafeFlags([
    "-module-alias", "UIKit=OffstageUIKit",
    "-module-alias", "BackgroundTasks=OffstageBackgroundTasks",
    "-Xfrontend", "-import-module",
    "-Xfrontend", "OffstageUIKit",
])

let package = Package(
    name: "Examples",
    dependencies: [
        // Named, since the folder above may be called anything.
        .package(name: "Offstage", path: "..")
    ],
    targets: [
        .executableTarget(
            name: "PhotoUploader",
            dependencies: [.product(name: "Offstage", package: "Offstage")],
            swiftSettings: [withOffstage, .swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "EventSender",
            dependencies: [.product(name: "Offstage", package: "Offstage")],
            swiftSettings: [withOffstage, .swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
        ),
        // The smallest app: it says what happens to it.
        .executableTarget(
            name: "HelloStage",
            dependencies: [.product(name: "OffstageUIKit", package: "Offstage")],
            swiftSettings: [withUIKit, .swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
        ),
        // One file with `@UIApplicationMain` is taken for a script without the second flag.
        .executableTarget(
            name: "HelloApplicationMain",
            dependencies: [.product(name: "OffstageUIKit", package: "Offstage")],
            swiftSettings: [
                withUIKit, .unsafeFlags(["-parse-as-library"]), .swiftLanguageMode(.v5),
            ]
        ),
        // An app that uploads by itself, with a background task and without one.
        .executableTarget(
            name: "DropOff",
            dependencies: [.product(name: "OffstageUIKit", package: "Offstage")],
            exclude: ["Info.plist"],
            swiftSettings: [withUIKit, .swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]
        ),
        // An app that holds many background tasks.
        .executableTarget(
            name: "TaskKeeper",
            dependencies: [.product(name: "OffstageUIKit", package: "Offstage")],
            exclude: ["Info.plist"],
            swiftSettings: [withUIKit, .swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
        ),
        // An app that is woken, and launched, for its background sessions.
        .executableTarget(
            name: "StageUploader",
            dependencies: [.product(name: "OffstageUIKit", package: "Offstage")],
            exclude: ["Info.plist"],
            swiftSettings: [withUIKit, .swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]
        ),
        // An app that does work while nobody looks, and is launched for it.
        .executableTarget(
            name: "Daymark",
            dependencies: [
                .product(name: "OffstageUIKit", package: "Offstage"),
                .product(name: "OffstageBackgroundTasks", package: "Offstage"),
            ],
            exclude: ["Info.plist"],
            swiftSettings: [withBackgroundTasks, .swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]
        ),
        // Not examples, but outsiders too: the apps that scripts/torture kills.
        .executableTarget(
            name: "TortureApp",
            dependencies: [.product(name: "Offstage", package: "Offstage")],
            swiftSettings: [withOffstage, .swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "TortureStage",
            dependencies: [.product(name: "OffstageUIKit", package: "Offstage")],
            swiftSettings: [withUIKit, .swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
        ),
    ]
)
