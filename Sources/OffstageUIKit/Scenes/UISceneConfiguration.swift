// SPDX-License-Identifier: Apache-2.0

/// How a scene is made: the class of its delegate counts.
@preconcurrency @MainActor
open class UISceneConfiguration: NSObject {
    /// Its name in the `Info.plist`.
    public let name: String?
    /// What its scenes are for.
    public let role: UISceneSession.Role
    /// The class of its scenes.
    open var sceneClass: AnyClass?
    /// The class of their delegates.
    open var delegateClass: AnyClass?

    /// A configuration of this name.
    public init(name: String?, sessionRole: UISceneSession.Role) {
        self.name = name
        role = sessionRole
        super.init()
    }
}
