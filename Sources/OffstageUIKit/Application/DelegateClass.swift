// SPDX-License-Identifier: Apache-2.0

/// Makes an object of a class that is known at run time alone.
///
/// Swift allows that for required initializers only, and `init()` of Apple's `UIResponder` and `NSObject` is none: an app's delegate
/// writes `override init()`, which would not compile over a required one. So the initializer is called as the
/// compiler calls a required one, through its place in the table of the class. It has one in every class: the first,
/// since it is the first method of Foundation's `NSObject`, which has no superclass and no stored property. `Shape` is a
/// class of just that form.
enum DelegateClass {
    /// Open, so that the compiler cannot take its own initializer for the one that is called.
    open class Shape {
        /// In the first place of the table.
        public required init() {}
    }

    /// - Parameter type: a subclass of `NSObject`. One that has not `init()` traps, as it does on Apple's platforms.
    /// - Returns: an object of it, by its `init()`.
    @MainActor
    static func make(_ type: NSObject.Type) -> NSObject {
        unsafeBitCast(unsafeBitCast(type, to: Shape.Type.self).init(), to: NSObject.self)
    }
}
