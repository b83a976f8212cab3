// SPDX-License-Identifier: Apache-2.0

/// For an app with a main loop of its own, such as GTK's, which `UIApplicationMain` would replace. Not in Apple's UIKit.
extension UIApplication {
    /// Launches the app with this delegate, and returns: the app then runs its own loop.
    ///
    /// To be called on the thread that the process began with, once, and before the loop runs. The delegate hears of the
    /// launch before this returns; all later calls, the notifications and the expiration handlers come through `perform`.
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
    ///   - delegate: what is told of the app's life; held as long as the process lives.
    ///   - perform: has what it is given done on the main thread, later and in order. Called on any thread.
    public static func takeStage(
        with delegate: any UIApplicationDelegate,
        perform: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
    ) {
        Stage.current.setRunner(perform)
        AppLaunch.enter { delegate }
    }

    /// Says whether the person sees the app: when its last window is hidden or shown again. From any thread.
    ///
    /// The app then goes to background or comes back, by way of its delegate, as with the Home button. Without a daemon it
    /// stays in foreground.
    nonisolated public func reportVisibility(_ isVisible: Bool) { Stage.current.change { $0.see(isVisible) } }
}
