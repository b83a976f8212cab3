// SPDX-License-Identifier: Apache-2.0

/// The configuration of a scene: only the class of its delegate is used.
@preconcurrency @MainActor
open class UISceneConfiguration: NSObject {
    /// The configuration's name in the `Info.plist`.
    public let name: String?
    /// The role of the scenes.
    public let role: UISceneSession.Role
    /// The class of the scenes.
    open var sceneClass: AnyClass?
    /// The class of the scenes' delegates.
    open var delegateClass: AnyClass?

    /// Creates a configuration with this name.
    public init(name: String?, sessionRole: UISceneSession.Role) {
        self.name = name
        role = sessionRole
        super.init()
    }
}
