// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking

/// What hears of a task's end in place of the delegate, as long as the program lives.
enum TaskHandler: Sendable {
    /// The body of the response.
    case body(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
    /// The downloaded file, which goes when the handler has returned.
    case file(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
}
