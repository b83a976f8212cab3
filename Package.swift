// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    // An async function runs where its caller runs: calls between engines stay on the loop.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// Bottom first: a target imports only targets above it in this list (ARCHITECTURE.md, "The rooms").
let package = Package(
    name: "Offstage",
    products: [
        .library(name: "Offstage", targets: ["Offstage"]),
        .library(name: "OffstageUIKit", targets: ["OffstageUIKit"]),
        .library(name: "OffstageBackgroundTasks", targets: ["OffstageBackgroundTasks"]),
        .library(name: "OffstageUserNotifications", targets: ["OffstageUserNotifications"]),
        .library(name: "OffstageOS", targets: ["OffstageOS", "OffstageOSLog"]),
        .executable(name: "offstage", targets: ["OffstageCLI"]),
        .executable(name: "offstaged", targets: ["OffstagedMain"]),
        .executable(name: "offstage-notifier", targets: ["OffstageNotifierMain"]),
        .executable(name: "offstage-page", targets: ["OffstagePageMain"]),
        .executable(name: "offstage-fleet", targets: ["OffstageFleetMain"]),
        .executable(name: "offstage-dropbox-emulator", targets: ["DropboxEmulatorMain"]),
        .plugin(name: "OffstageBundle", targets: ["OffstageBundle"]),
    ],
    targets: [
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
        .systemLibrary(
            name: "CMicroHTTPD",
            pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]
        ),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "COffstageBus", dependencies: ["CSystemd"]),
        // The schema of a fleet's database, which the compiler takes into the program.
        .target(name: "COffstageFleet", exclude: ["migrations"]),
        .target(name: "COffstageLinux"),
        .target(name: "COffstageTestSupport"),
        .target(name: "OffstageCore", swiftSettings: strict),
        .target(name: "OffstageProtocol", dependencies: ["OffstageCore"], swiftSettings: strict),
        .target(name: "OffstageFiles", dependencies: ["OffstageCore", "COffstageLinux"], swiftSettings: strict),
        // Pictures of what a daemon says, as values: for the command, and for whatever else draws them.
        .target(
            name: "OffstagePictures",
            dependencies: ["OffstageCore", "OffstageProtocol"],
            swiftSettings: strict
        ),
        // What every engine stands on. Before the store, which has its threads from here.
        .target(name: "OffstageRuntime", dependencies: ["OffstageCore", "COffstageLinux"], swiftSettings: strict),
        .target(
            name: "OffstageStore",
            dependencies: ["OffstageCore", "OffstageRuntime", "CSQLite", "COffstageLinux"],
            swiftSettings: strict
        ),
        .target(
            name: "OffstageTransfers",
            dependencies: [
                "OffstageCore", "OffstageFiles", "OffstageRuntime", "CCurl", "CCrypto", "CExpat", "CZlib",
                "COffstageLinux",
            ],
            swiftSettings: strict
        ),
        // The engines, side by side: none imports another, but for accounts, whose requests go through libcurl, too. They know
        // each other by the protocols in Core/Engines, and are wired in OffstageDaemon/Startup/Engines.swift.
        .target(
            name: "OffstageAccounts",
            dependencies: [
                "OffstageCore", "OffstageProtocol", "OffstageFiles", "OffstageRuntime", "OffstageTransfers", "CCrypto",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "OffstageSupervisor",
            dependencies: [
                "OffstageCore", "OffstageProtocol", "OffstageFiles", "OffstageRuntime", "COffstageLinux",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "OffstageSessions",
            dependencies: [
                "OffstageCore", "OffstageProtocol", "OffstageFiles", "OffstageRuntime", "COffstageLinux",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "OffstageWork",
            dependencies: ["OffstageCore", "OffstageProtocol", "OffstageRuntime", "COffstageLinux"],
            swiftSettings: strict
        ),
        // The process around the engines: its folders, lock, socket, log, the mark of a crash, and its word to systemd.
        .target(
            name: "OffstageHost",
            dependencies: [
                "OffstageCore", "OffstageProtocol", "OffstageFiles", "OffstageRuntime", "COffstageLinux",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "OffstageDaemon",
            dependencies: [
                "OffstageCore", "OffstageProtocol", "OffstageFiles", "OffstageRuntime", "OffstageStore",
                "OffstageTransfers", "OffstageAccounts", "OffstageSupervisor", "OffstageSessions", "OffstageWork",
                "OffstageHost", "COffstageLinux",
            ],
            swiftSettings: strict
        ),
        // Without Foundation's networking, which would treble the time that the command takes to start.
        .target(
            name: "OffstageClient",
            dependencies: ["OffstageCore", "OffstageProtocol", "OffstageFiles", "COffstageLinux"],
            swiftSettings: strict
        ),
        .target(
            name: "Offstage",
            dependencies: [
                "OffstageClient", "OffstageCore", "OffstageProtocol", "OffstageFiles", "COffstageLinux", "CCrypto",
            ],
            swiftSettings: strict
        ),
        // The C module of the same name that lies beneath OffstageUIKit, and what that cannot write in Swift.
        .target(name: "COffstageUIKit"),
        .target(
            name: "OffstageUIKit",
            dependencies: [
                "Offstage", "OffstageClient", "OffstageCore", "OffstageProtocol", "OffstageFiles", "COffstageLinux",
                "COffstageUIKit",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "OffstageBackgroundTasks",
            dependencies: ["Offstage", "OffstageClient", "OffstageCore", "OffstageProtocol", "OffstageFiles"],
            swiftSettings: strict
        ),
        .target(
            name: "OffstageUserNotifications",
            dependencies: ["Offstage", "OffstageClient", "OffstageCore", "OffstageProtocol"],
            swiftSettings: strict
        ),
        // The C modules that lie beneath OffstageOS, and what that cannot write in Swift.
        .target(name: "COffstageOS"),
        .target(name: "OffstageOS", dependencies: ["OffstageCore", "COffstageOS"], swiftSettings: strict),
        .target(name: "OffstageOSLog", dependencies: ["OffstageOS"], swiftSettings: strict),
        .target(
            name: "OffstageTestSupport",
            dependencies: ["OffstageCore", "COffstageLinux", "COffstageTestSupport"],
            swiftSettings: strict
        ),
        .target(
            name: "OffstageCommands",
            dependencies: [
                "OffstageClient", "OffstageCore", "OffstageProtocol", "OffstageFiles", "OffstagePictures",
                "COffstageLinux", "CCrypto", "CExpat", "CIDN2",
            ],
            swiftSettings: strict
        ),
        // The page's own files, which the compiler takes into the program.
        .target(name: "COffstagePage", exclude: ["files"]),
        .target(
            name: "OffstagePage",
            dependencies: [
                "OffstageCommands", "OffstageClient", "OffstageCore", "OffstageProtocol", "OffstagePictures",
                "COffstageLinux", "COffstagePage", "CMicroHTTPD",
            ],
            swiftSettings: strict
        ),
        .executableTarget(name: "OffstagePageMain", dependencies: ["OffstagePage"], swiftSettings: strict),
        // The commands and the member of a fleet: a program of its own, as the page is.
        .target(
            name: "OffstageFleet",
            dependencies: [
                "OffstageCommands", "OffstageClient", "OffstageCore", "OffstageProtocol", "OffstageFiles",
                "COffstageLinux", "COffstageFleet", "CCrypto", "CPostgreSQL",
            ],
            swiftSettings: strict
        ),
        .executableTarget(name: "OffstageFleetMain", dependencies: ["OffstageFleet"], swiftSettings: strict),
        .target(name: "DropboxEmulator", dependencies: ["CCrypto", "CMicroHTTPD"], swiftSettings: strict),
        .executableTarget(name: "DropboxEmulatorMain", dependencies: ["DropboxEmulator"], swiftSettings: strict),
        .executableTarget(name: "OffstageCLI", dependencies: ["OffstageCommands"], swiftSettings: strict),
        .executableTarget(name: "OffstagedMain", dependencies: ["OffstageDaemon"], swiftSettings: strict),
        // What apps notify of, on a desktop: a program of its own, so that the daemon knows no bus of a session.
        .executableTarget(
            name: "OffstageNotifierMain",
            dependencies: ["OffstageClient", "OffstageCore", "OffstageProtocol", "COffstageBus", "COffstageLinux"],
            swiftSettings: strict
        ),
        // Without tools of its own and without permissions: it has SwiftPM build products, and writes beside those alone.
        .plugin(
            name: "OffstageBundle",
            capability: .command(
                intent: .custom(
                    verb: "offstage-bundle",
                    description: "Build the package's programs, and make a .app of each that has an Info.plist"
                )
            )
        ),
        // A long schedule of deferred work, measured in a process of its own.
        .executableTarget(
            name: "PendingRequests",
            dependencies: ["OffstageCore"],
            path: "Tests/Fixtures/PendingRequests",
            swiftSettings: strict
        ),
        .testTarget(
            name: "OffstageCoreTests",
            dependencies: ["OffstageCore", "OffstageTestSupport", "PendingRequests"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OffstageProtocolTests",
            dependencies: ["OffstageCore", "OffstageProtocol", "OffstageTestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OffstagePageTests",
            dependencies: [
                "OffstageCommands", "OffstageCore", "OffstagePage", "OffstageProtocol", "OffstageTestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OffstageFleetTests",
            dependencies: [
                "OffstageCommands", "OffstageClient", "OffstageCore", "OffstageProtocol", "OffstageFiles",
                "Offstage", "OffstageFleet", "OffstageTestSupport", "COffstageLinux",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OffstagePicturesTests",
            dependencies: ["OffstageCore", "OffstageProtocol", "OffstagePictures", "OffstageTestSupport"],
            exclude: ["Golden"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OffstageFilesTests",
            dependencies: ["OffstageCore", "OffstageFiles", "OffstageTestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OffstageRuntimeTests",
            dependencies: ["OffstageCore", "OffstageRuntime", "OffstageTestSupport", "COffstageLinux"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OffstageStoreTests",
            dependencies: ["OffstageCore", "OffstageStore", "OffstageTestSupport", "CSQLite"],
            swiftSettings: strict
        ),
        // What every engine stands on, in virtual time: for tests of one engine without the others.
        .target(
            name: "EngineTestSupport",
            dependencies: [
                "OffstageCore", "OffstageFiles", "OffstageRuntime", "OffstageStore", "OffstageTestSupport",
            ],
            path: "Tests/Support/Engines",
            swiftSettings: strict
        ),
        .testTarget(
            name: "OffstageSupervisorTests",
            dependencies: [
                "OffstageCore", "OffstageProtocol", "OffstageRuntime", "OffstageSupervisor", "OffstageTestSupport",
                "EngineTestSupport", "COffstageLinux", "COffstageTestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OffstageSessionsTests",
            dependencies: [
                "OffstageCore", "OffstageProtocol", "OffstageFiles", "OffstageRuntime", "OffstageStore",
                "OffstageSessions", "OffstageTestSupport", "EngineTestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OffstageWorkTests",
            dependencies: [
                "OffstageCore", "OffstageProtocol", "OffstageRuntime", "OffstageStore", "OffstageWork",
                "OffstageTestSupport", "EngineTestSupport", "COffstageLinux",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OffstageDaemonTests",
            dependencies: [
                "DaemonSimulation", "OffstageCore", "OffstageRuntime", "OffstageHost", "OffstageDaemon",
                "OffstageProtocol", "OffstageTestSupport",
            ],
            swiftSettings: strict
        ),
        // A whole daemon in virtual time, in a world that it is cut off in: for the tests and scripts/virtual-crashes.
        .target(
            name: "DaemonSimulation",
            dependencies: [
                "COffstageLinux", "OffstageCore", "OffstageProtocol", "OffstageRuntime", "OffstageStore",
                "OffstageHost",
                "OffstageSupervisor", "OffstageTransfers", "OffstageWork", "OffstageAccounts", "OffstageDaemon",
                "OffstageTestSupport",
                "DropboxEmulator",
            ],
            path: "Tests/Support/Simulation",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "simulate-daemon",
            dependencies: ["DaemonSimulation"],
            path: "Tests/Simulate",
            swiftSettings: strict
        ),
        // A daemon's accounts without the daemon, for tests of accounts and of transfers that need one.
        .target(
            name: "AccountTestSupport",
            dependencies: [
                "OffstageCore", "OffstageProtocol", "OffstageRuntime", "OffstageStore", "OffstageAccounts",
                "OffstageTestSupport", "DropboxEmulator",
            ],
            path: "Tests/Support/Accounts",
            swiftSettings: strict
        ),
        .testTarget(
            name: "OffstageTransfersTests",
            dependencies: [
                "OffstageCore", "OffstageProtocol", "OffstageFiles", "OffstageRuntime", "OffstageStore",
                "OffstageTransfers", "OffstageAccounts", "OffstageTestSupport", "AccountTestSupport",
                "EngineTestSupport", "DropboxEmulator", "COffstageLinux", "COffstageTestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OffstageAccountsTests",
            dependencies: [
                "OffstageCore", "OffstageProtocol", "OffstageRuntime", "OffstageTransfers", "OffstageAccounts",
                "OffstageTestSupport", "AccountTestSupport", "EngineTestSupport", "DropboxEmulator",
            ],
            swiftSettings: strict
        ),
        // The other end of a client's connection, which does as a test says.
        .target(
            name: "PeerTestSupport",
            dependencies: ["OffstageProtocol", "OffstageTestSupport"],
            path: "Tests/Support/Peer",
            swiftSettings: strict
        ),
        .testTarget(
            name: "OffstageCommandsTests",
            dependencies: [
                "OffstageClient", "OffstageCore", "OffstageProtocol", "OffstagePictures", "OffstageCommands",
                "OffstageTestSupport", "PeerTestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DropboxEmulatorTests",
            dependencies: ["DropboxEmulator", "OffstageTestSupport"],
            swiftSettings: strict
        ),
        // An app as it is written for iOS, for tests that end and relaunch it.
        .executableTarget(
            name: "SessionApp",
            dependencies: ["Offstage"],
            path: "Tests/Fixtures/SessionApp",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "OffstageTests",
            dependencies: [
                "Offstage", "OffstageClient", "OffstageCore", "OffstageProtocol", "OffstageTestSupport",
                "PeerTestSupport", "SessionApp",
            ],
            swiftSettings: strict
        ),
        // An app's process that speaks the protocol by hand, so that the daemon's half is tested alone.
        .executableTarget(
            name: "WireApp",
            dependencies: ["OffstageClient", "OffstageCore", "OffstageProtocol"],
            path: "Tests/Fixtures/WireApp",
            swiftSettings: strict
        ),
        // An app that tests tell what to do, with UIKit's life cycle.
        .executableTarget(
            name: "LifeApp",
            dependencies: ["OffstageUIKit"],
            path: "Tests/Fixtures/LifeApp",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "OffstageUIKitTests",
            dependencies: [
                "OffstageUIKit", "OffstageClient", "OffstageCore", "OffstageProtocol", "OffstageTestSupport",
                "LifeApp",
            ],
            swiftSettings: strict
        ),
        // An app that tests tell what to do, with deferred work.
        .executableTarget(
            name: "TaskApp",
            dependencies: ["OffstageBackgroundTasks", "OffstageUIKit"],
            path: "Tests/Fixtures/TaskApp",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "OffstageBackgroundTasksTests",
            dependencies: [
                "OffstageBackgroundTasks", "OffstageUIKit", "Offstage", "OffstageClient", "OffstageCore",
                "OffstageProtocol", "OffstageTestSupport", "TaskApp",
            ],
            swiftSettings: strict
        ),
        // An app that tests tell what to notify of.
        .executableTarget(
            name: "NoticeApp",
            dependencies: ["OffstageUserNotifications", "OffstageUIKit"],
            path: "Tests/Fixtures/NoticeApp",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "OffstageUserNotificationsTests",
            dependencies: [
                "OffstageUserNotifications", "OffstageClient", "OffstageCore", "OffstageProtocol",
                "OffstageTestSupport", "NoticeApp",
            ],
            swiftSettings: strict
        ),
        // A program that logs and locks as tests tell it.
        .executableTarget(
            name: "LogApp",
            dependencies: ["OffstageOS"],
            path: "Tests/Fixtures/LogApp",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "OffstageOSTests",
            dependencies: ["OffstageOS", "OffstageOSLog", "OffstageTestSupport", "LogApp"],
            swiftSettings: strict
        ),
        // What bytes from outside are given to, for the fuzzer (scripts/fuzz) and for the tests.
        .target(
            name: "OffstageFuzzTargets",
            dependencies: [
                "OffstageCore", "OffstageProtocol", "OffstageStore", "OffstageTransfers", "OffstageAccounts",
                "OffstageSupervisor", "OffstageSessions", "OffstageWork", "OffstageDaemon", "OffstageCommands",
                "OffstagePage", "DropboxEmulator", "COffstageLinux",
            ],
            path: "Tests/Fuzz/Targets",
            swiftSettings: strict
        ),
        .testTarget(
            name: "FuzzTests",
            dependencies: ["OffstageFuzzTargets", "OffstageTestSupport", "COffstageLinux"],
            path: "Tests/Fuzz/Tests",
            swiftSettings: strict
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "DropboxEmulator", "Offstage", "OffstageClient", "OffstageCore", "OffstageProtocol", "OffstageStore",
                "OffstageTestSupport", "COffstageLinux", "COffstageTestSupport", "WireApp",
            ],
            swiftSettings: strict
        ),
    ]
)

// `-sanitize=fuzzer` would record each comparison as well, which takes up to a third of the time of a target. The compiler
// wants some sanitizer before it counts branches: this one does nothing to Swift.
let branchCounters = [
    "-Xfrontend", "-sanitize=undefined", "-Xfrontend", "-sanitize-coverage=edge,inline-8bit-counters,pc-table",
]

// `scripts/fuzz` alone asks for the fuzzer: every module then counts which of its branches an input takes.
if let runtime = Context.environment["OFFSTAGE_FUZZ_RUNTIME"] {
    for target in package.targets where target.type == .regular && !target.name.hasPrefix("C") {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(branchCounters)]
    }
    package.targets += [
        .target(name: "COffstageFuzz", path: "Tests/Fuzz/COffstageFuzz"),
        .executableTarget(
            name: "OffstageFuzz",
            dependencies: ["OffstageFuzzTargets", "COffstageFuzz"],
            path: "Tests/Fuzz/Driver",
            swiftSettings: strict,
            linkerSettings: [
                .unsafeFlags([runtime, "-lstdc++"]),
                // libFuzzer is told of counters by COffstageFuzz.c.
                .unsafeFlags(["-Xlinker", "--wrap=__sanitizer_cov_8bit_counters_init"]),
                .unsafeFlags(["-Xlinker", "--wrap=__sanitizer_cov_pcs_init"]),
            ]
        ),
    ]
}
