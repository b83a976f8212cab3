// SPDX-License-Identifier: Apache-2.0

/// An object that can respond to events; here the superclass of an app's delegate.
@preconcurrency @MainActor
open class UIResponder: NSObject {
    /// Creates a responder.
    public override init() {
        super.init()
    }

    /// The next responder: always nil.
    open var next: UIResponder? { nil }
}
