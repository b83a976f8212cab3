// SPDX-License-Identifier: Apache-2.0

/// What the system keeps of a scene.
@preconcurrency @MainActor
open class UISceneSession: NSObject {
    /// What a scene is for.
    public struct Role: Hashable, RawRepresentable, Sendable {
        /// The role's name.
        public let rawValue: String
        /// A role of this name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A window of the app.
        public static let windowApplication = Self(rawValue: "UIWindowSceneSessionRoleApplication")
        /// A window on another screen.
        public static let windowExternalDisplayNonInteractive =
            Self(rawValue: "UIWindowSceneSessionRoleExternalDisplayNonInteractive")
    }

    /// The scene, if it is connected.
    open weak var scene: UIScene?
    /// What the scene is for.
    open var role: Role { .windowApplication }
    /// How its scene is made.
    open internal(set) lazy var configuration = UISceneConfiguration(name: nil, sessionRole: role)
    /// Which session it is.
    public let persistentIdentifier = UUID().uuidString
    /// What the app keeps with it.
    open var userInfo: [String: Any]?
}
