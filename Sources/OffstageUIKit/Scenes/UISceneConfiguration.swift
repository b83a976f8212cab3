// SPDX-License-Identifier: Apache-2.0

/// The configuration of a scene: only the class of its delegate is used.
@preconcurrency @MainActor
open class UISceneConfiguration: NSObject {
    /// Its name in the `Info.plist`.
    public let name: String?
    /// The role of its scenes.
    public let role: UISceneSession.Role
    /// The class of its scenes.
    open var sceneClass: AnyClass?
    /// The class of their delegates.
    open var delegateClass: AnyClass?

    /// A configuration with this name.
    public init(name: String?, sessionRole: UISceneSession.Role) {
        self.name = name
        role = sessionRole
        super.init()
    }
}
