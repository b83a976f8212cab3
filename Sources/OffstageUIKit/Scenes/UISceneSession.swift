// SPDX-License-Identifier: Apache-2.0

/// The system's persistent information about a scene.
@preconcurrency @MainActor
open class UISceneSession: NSObject {
    /// The role of a scene.
    public struct Role: Hashable, RawRepresentable, Sendable {
        /// The role's name.
        public let rawValue: String
        /// Creates a role with this name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A window of the app.
        public static let windowApplication = Self(rawValue: "UIWindowSceneSessionRoleApplication")
        /// A window on another screen.
        public static let windowExternalDisplayNonInteractive =
            Self(rawValue: "UIWindowSceneSessionRoleExternalDisplayNonInteractive")
    }

    /// The scene, if it is connected.
    open weak var scene: UIScene?
    /// The role of the scene.
    open var role: Role { .windowApplication }
    /// The configuration of the scene.
    open internal(set) lazy var configuration = UISceneConfiguration(name: nil, sessionRole: role)
    /// The session's identifier.
    public let persistentIdentifier = UUID().uuidString
    /// Data that the app stores with the session.
    open var userInfo: [String: Any]?
}
