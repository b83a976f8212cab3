// SPDX-License-Identifier: Apache-2.0
import OffstageWork

/// Messages that arrive from the bus, one after the other, and a device's event.
enum BusMessageTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var arrived = Array(bytes)
        _ = DeviceEvent(arrived[...])
        while true {
            guard case .message(let message, let length) = BusMessage.parseFirst(from: arrived) else { return }
            promise(length > 0 && length <= arrived.count, "a message of \(length) bytes in \(arrived.count)")
            if let message { _ = (message.variantNumber, message.encoded) }
            arrived.removeFirst(length)
        }
    }
}
