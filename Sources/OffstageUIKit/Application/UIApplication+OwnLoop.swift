// SPDX-License-Identifier: Apache-2.0

/// For an app with its own main loop, such as GTK's, which `UIApplicationMain` would replace. Not in Apple's UIKit.
extension UIApplication {
    /// Launches the app with this delegate and returns: the app then runs its own loop.
    ///
    /// Call it once, on the process's first thread, before the loop runs. The delegate receives the launch before this
    /// method returns; all later delegate calls, notifications and expiration handlers go through `perform`.
    ///
    /// With GTK:
    ///
    /// ```swift
    /// UIApplication.takeStage(with: delegate) { work in
    ///     let box = Unmanaged.passRetained(Box(work)).toOpaque()
    ///     g_idle_add({ Unmanaged<Box>.fromOpaque($0!).takeRetainedValue().work(); return 0 }, box)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - delegate: receives the app's life cycle; retained for the lifetime of the process.
    ///   - perform: runs its argument on the main thread, later and in order. It may be called on any thread.
    public static func takeStage(
        with delegate: any UIApplicationDelegate,
        perform: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
    ) {
        Stage.current.setRunner(perform)
        AppLaunch.enter { delegate }
    }

    /// Reports whether the app is visible. Call it when the app's last window is hidden or shown again, from any
    /// thread.
    ///
    /// The app then enters the background or the foreground, through its delegate, as with the Home button. Without a
    /// daemon it stays in the foreground.
    nonisolated public func reportVisibility(_ isVisible: Bool) { Stage.current.change { $0.see(isVisible) } }
}
