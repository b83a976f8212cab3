// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// Launches the app and runs its main loop. Call it in a `main.swift`, on the process's first thread; a class marked
/// `@main` does not need it.
///
/// - Parameters:
///   - argc: the number of arguments. Not used.
///   - argv: the arguments. Not used.
///   - principalClassName: nil: a subclass of `UIApplication` is not supported.
///   - delegateClassName: the `NSStringFromClass` of the delegate's class, a subclass of `NSObject`.
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

/// Called by `@UIApplicationMain`, in C, on the process's first thread.
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

/// Called by `@UIApplicationMain`, in C, for the last argument of the function above: returns an object that the caller
/// releases.
@_cdecl("NSStringFromClass")
public func _offstageStringFromClass(_ type: UnsafeRawPointer) -> UnsafeMutableRawPointer {
    let type: AnyClass = unsafeBitCast(type, to: AnyClass.self)
    return Unmanaged.passRetained(NSString(string: NSStringFromClass(type))).toOpaque()
}

extension UIApplicationDelegate where Self: NSObject {
    /// Launches the app with a delegate of this class and runs its main loop; `@main` calls it. Never returns.
    public static func main() { AppLaunch.run(Self.self) }
}
