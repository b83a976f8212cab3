// SPDX-License-Identifier: Apache-2.0

/// A user activity, to be continued on another device. Declared only: there is no other device.
open class NSUserActivity: NSObject {
    /// The type of activity.
    public let activityType: String
    /// The activity's title.
    open var title: String?
    /// The web page that shows the same content.
    open var webpageURL: URL?
    /// Further information.
    open var userInfo: [AnyHashable: Any]?

    /// Creates an activity of this type.
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
    /// Restores the state of an activity.
    func restoreUserActivityState(_ userActivity: NSUserActivity)
}
