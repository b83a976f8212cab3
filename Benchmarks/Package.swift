// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// What scripts/bench compares Offstage with: it stands apart, so that the main package depends on nothing of it.
let package = Package(
    name: "Benchmarks",
    dependencies: [
        // Named, since the folder above may be called anything.
        .package(name: "Offstage", path: "..")
    ],
    targets: [
        .systemLibrary(name: "CBareSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(name: "bare-reader", dependencies: ["CBareSQLite"], path: "Sources/BareReader"),
        .executableTarget(name: "urlsession-fetch", path: "Sources/URLSessionFetch"),
        .executableTarget(
            name: "session-bench",
            dependencies: [.product(name: "Offstage", package: "Offstage")],
            path: "Sources/SessionBench"
        ),
        .executableTarget(
            name: "stage-bench",
            dependencies: [
                .product(name: "OffstageUIKit", package: "Offstage"),
                .product(name: "OffstageBackgroundTasks", package: "Offstage"),
            ],
            path: "Sources/StageBench",
            swiftSettings: [
                .unsafeFlags([
                    "-module-alias", "UIKit=OffstageUIKit", "-module-alias", "BackgroundTasks=OffstageBackgroundTasks",
                    "-Xfrontend", "-import-module", "-Xfrontend", "OffstageUIKit",
                ]),
                .swiftLanguageMode(.v5),
            ]
        ),
    ]
)
