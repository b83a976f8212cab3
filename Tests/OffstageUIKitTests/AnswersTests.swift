// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import OffstageUIKit
import Testing

/// Answers without a daemon, in a program that has not entered the stage.
@MainActor @Suite struct AnswersTests {
    private final class Delegate: NSObject, UIApplicationDelegate {
        let failures = Monitor<[String]>([])

        func application(
            _ application: UIApplication,
            didFailToRegisterForRemoteNotificationsWithError error: any Error
        ) {
            failures.withLock { $0.append(error.localizedDescription) }
        }
    }

    @Test func `asking for remote notifications, or for a URL to be opened, is answered with no`() async throws {
        let application = UIApplication.shared
        let delegate = Delegate()
        application.delegate = delegate
        application.registerForRemoteNotifications()
        let url = try #require(URL(string: "https://example.com"))
        #expect(!application.canOpenURL(url))
        #expect(await application.open(url) == false)
        let isOpened = await withCheckedContinuation { continuation in
            application.open(url, options: [:]) { continuation.resume(returning: $0) }
        }
        #expect(!isOpened)
        // On the main actor, and so before the completion that was requested later.
        #expect(delegate.failures.withLock { $0 } == ["There is no remote notification service on Linux."])
    }

    @Test func `a device says what is known of it`() {
        let device = UIDevice.current
        #expect(device.isMultitaskingSupported)
        #expect(device.systemName == "Linux" && device.model == "Linux" && device.localizedModel == "Linux")
        #expect(!device.name.isEmpty)
        var names = utsname()
        uname(&names)
        let release = withUnsafeBytes(of: &names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        #expect(release.hasPrefix(device.systemVersion.split(separator: ".").prefix(2).joined(separator: ".")))
        #expect(device.identifierForVendor == nil)
        #expect(device.batteryState == .unknown && device.batteryLevel == -1)
    }

    @Test func `a plain program may begin background tasks, and has no end of its time`() {
        let application = UIApplication.shared
        let task = application.beginBackgroundTask(withName: "plain")
        #expect(task != .invalid)
        #expect(application.backgroundTimeRemaining == .greatestFiniteMagnitude)
        application.endBackgroundTask(task)
    }
}
