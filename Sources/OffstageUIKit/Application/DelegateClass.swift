// SPDX-License-Identifier: Apache-2.0
import COffstageUIKit

/// Creates an instance of a class known only at run time.
///
/// Swift allows this only for required initializers, and `init()` of Apple's `UIResponder` and `NSObject` is not
/// required: an app's delegate writes `override init()`, which would not compile over a required one. The initializer
/// is therefore called as the compiler calls a required one, through its slot in the class's vtable. The call is made
/// from C, where the optimizer does not mistake one class for another.
enum DelegateClass {
    /// Overrides only `init()`. The slot is where its vtable differs from both its superclass's and its twin's: an
    /// entry from another library may have a different address there.
    private final class Probe: NSObject {
        override init() { super.init() }
    }

    private final class Twin: NSObject {
        override init() { super.init() }
    }

    /// Offsets in a class's metadata: two pointers and four 32-bit numbers, followed by these two.
    private enum Offset {
        static let size = 32
        static let addressPoint = 36
        /// The vtable begins after them, the descriptor and the destroyer of stored properties.
        static let table = 56
    }

    /// - Parameter type: a subclass of `NSObject`. A class without `init()` traps, as on Apple's platforms.
    /// - Returns: an instance, created by its `init()`; nil if the slot is not found, as with a different Foundation.
    @MainActor
    static func make(_ type: NSObject.Type) -> NSObject? {
        guard let place, let object = offstage_call_init(description(of: type), place) else { return nil }
        return Unmanaged<NSObject>.fromOpaque(object).takeRetainedValue()
    }

    /// The offset of the address of `init()` in a class's metadata, in bytes.
    private static let place: Int? = {
        let base = description(of: NSObject.self)
        let (probe, twin) = (description(of: Probe.self), description(of: Twin.self))
        let size = base.load(fromByteOffset: Offset.size, as: UInt32.self)
        let addressPoint = base.load(fromByteOffset: Offset.addressPoint, as: UInt32.self)
        guard size > addressPoint, size < 1 << 16 else { return nil }
        let places = stride(from: Offset.table, to: Int(size - addressPoint), by: MemoryLayout<UInt>.size).filter {
            let entry = probe.load(fromByteOffset: $0, as: UInt.self)
            return entry != base.load(fromByteOffset: $0, as: UInt.self)
                && entry != twin.load(fromByteOffset: $0, as: UInt.self)
        }
        return places.count == 1 ? places.first : nil
    }()

    private static func description(of type: AnyClass) -> UnsafeRawPointer {
        unsafeBitCast(type, to: UnsafeRawPointer.self)
    }
}
