// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking

/// The handler that receives a task's end in place of the delegate, as long as the program lives.
enum SessionTaskHandler: Sendable {
    /// Called with the body of the response.
    case body(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
    /// Called with the downloaded file, which is deleted once the handler has returned.
    case file(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
}
