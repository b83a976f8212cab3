// SPDX-License-Identifier: Apache-2.0

/// An activity of a person, to be continued elsewhere. Declared only: there is no elsewhere.
open class NSUserActivity: NSObject {
    /// The kind of activity.
    public let activityType: String
    /// Its visible name.
    open var title: String?
    /// The page that shows the same.
    open var webpageURL: URL?
    /// Further information.
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

/// An object that can restore an activity. Declared only.
@preconcurrency @MainActor
public protocol UIUserActivityRestoring: NSObjectProtocol {
    /// Restores it.
    func restoreUserActivityState(_ userActivity: NSUserActivity)
}
