// SPDX-License-Identifier: Apache-2.0

/// Opening URLs in other programs: declared, but never possible.
extension UIApplication {
    /// The options for opening a URL.
    public struct OpenExternalURLOptionsKey: Hashable, RawRepresentable, Sendable {
        /// The key's text.
        public let rawValue: String
        /// Creates a key with this text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Open the URL only in an app that has claimed the link.
        public static let universalLinksOnly = Self(rawValue: "UIApplicationOpenURLOptionUniversalLinksOnly")
    }

    /// The options that come with a URL for the app to open.
    public struct OpenURLOptionsKey: Hashable, RawRepresentable, Sendable {
        /// The key's text.
        public let rawValue: String
        /// Creates a key with this text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The app that made the request.
        public static let sourceApplication = Self(rawValue: "UIApplicationOpenURLOptionsSourceApplicationKey")
        /// The app's annotation.
        public static let annotation = Self(rawValue: "UIApplicationOpenURLOptionsAnnotationKey")
        /// Whether the file must be copied before it is changed.
        public static let openInPlace = Self(rawValue: "UIApplicationOpenURLOptionsOpenInPlaceKey")
    }

    /// The URL of the app's settings. No program opens it.
    nonisolated public static let openSettingsURLString = "app-settings:"

    /// Whether a program can open the URL: no.
    public func canOpenURL(_ url: URL) -> Bool { false }

    /// Opens nothing: `completion` is called with false, later and on the main actor.
    public func open(
        _ url: URL,
        options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {
        guard let completion else { return }
        Stage.current.onMain { completion(false) }
    }

    /// Opens nothing, and returns false.
    public func open(_ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:]) async -> Bool { false }
}
