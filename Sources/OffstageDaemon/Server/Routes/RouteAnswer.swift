// SPDX-License-Identifier: Apache-2.0

/// The answer to a request, ready to be sent.
struct RouteAnswer: Sendable {
    var payload: [UInt8]
    /// Goes with the reply and is closed after it was sent; -1 for no descriptor.
    var descriptor: Int32 = -1
    /// Called on the loop once the reply is on its way.
    var afterwards: (@Sendable () -> Void)?
}
