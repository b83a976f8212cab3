// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// Launches the app and runs its main loop. For a `main.swift`, on the thread that the process began with; a class marked
/// `@main` does without.
///
/// - Parameters:
///   - argc: the number of arguments. Not used.
///   - argv: the arguments. Not used.
///   - principalClassName: nil: a subclass of `UIApplication` cannot be put in its place.
///   - delegateClassName: what `NSStringFromClass` gives for the delegate's class, a subclass of `NSObject`.
/// - Returns: never.
@discardableResult
public func UIApplicationMain(
    _ argc: Int32,
    _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ principalClassName: String?,
    _ delegateClassName: String?
) -> Int32 {
    launch(delegateClassName)
}

/// What `@UIApplicationMain` calls, in C: on the thread that the process began with.
@_cdecl("UIApplicationMain")
public func _offstageApplicationMain(
    _ argc: Int32,
    _ argv: UnsafeMutableRawPointer?,
    _ principal: UnsafeMutableRawPointer?,
    _ delegate: UnsafeMutableRawPointer?
) -> Int32 {
    let name = delegate.map { Unmanaged<NSString>.fromOpaque($0).takeUnretainedValue() }
    launch(name.map { String(describing: $0) })
}

private func launch(_ delegateClassName: String?) -> Never {
    MainActor.assumeIsolated { AppLaunch.run(classNamed: delegateClassName) }
}

/// What `@UIApplicationMain` calls, in C, for the argument of the former: an object, which the caller releases.
@_cdecl("NSStringFromClass")
public func _offstageStringFromClass(_ type: UnsafeRawPointer) -> UnsafeMutableRawPointer {
    let type: AnyClass = unsafeBitCast(type, to: AnyClass.self)
    return Unmanaged.passRetained(NSString(string: NSStringFromClass(type))).toOpaque()
}

extension UIApplicationDelegate where Self: NSObject {
    /// Launches the app with a delegate of this class and runs its main loop: what `@main` calls. Never returns.
    public static func main() { AppLaunch.run(Self.self) }
}
