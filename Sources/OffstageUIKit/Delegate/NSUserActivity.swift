// SPDX-License-Identifier: Apache-2.0

/// What a person was doing, to be gone on with elsewhere. Declared only: there is no elsewhere.
open class NSUserActivity: NSObject {
    /// What kind of doing.
    public let activityType: String
    /// What a person would see as its name.
    open var title: String?
    /// The page that shows the same.
    open var webpageURL: URL?
    /// What else is needed.
    open var userInfo: [AnyHashable: Any]?

    /// An activity of this kind.
    public init(activityType: String) {
        self.activityType = activityType
        super.init()
    }

    /// Does nothing.
    open func becomeCurrent() {}
    /// Does nothing.
    open func resignCurrent() {}
    /// Does nothing.
    open func invalidate() {}
}

/// What can take up an activity. Declared only.
@preconcurrency @MainActor
public protocol UIUserActivityRestoring: NSObjectProtocol {
    /// Takes it up.
    func restoreUserActivityState(_ userActivity: NSUserActivity)
}
