// SPDX-License-Identifier: Apache-2.0

/// Opening URLs in other programs: declared, and answered with "no".
extension UIApplication {
    /// How a URL is opened.
    public struct OpenExternalURLOptionsKey: Hashable, RawRepresentable, Sendable {
        /// The key's text.
        public let rawValue: String
        /// A key with this text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Only in an app that has claimed the link.
        public static let universalLinksOnly = Self(rawValue: "UIApplicationOpenURLOptionUniversalLinksOnly")
    }

    /// What comes with a URL that the app is to open.
    public struct OpenURLOptionsKey: Hashable, RawRepresentable, Sendable {
        /// The key's text.
        public let rawValue: String
        /// A key with this text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The app that made the request.
        public static let sourceApplication = Self(rawValue: "UIApplicationOpenURLOptionsSourceApplicationKey")
        /// The app's annotation.
        public static let annotation = Self(rawValue: "UIApplicationOpenURLOptionsAnnotationKey")
        /// Whether the file has to be copied before it is changed.
        public static let openInPlace = Self(rawValue: "UIApplicationOpenURLOptionsOpenInPlaceKey")
    }

    /// The URL of the app's settings. Nothing opens it.
    nonisolated public static let openSettingsURLString = "app-settings:"

    /// Whether a program would open the URL: no.
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
