// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Why no app was built, in one sentence.
struct BundleFailure: LocalizedError, CustomStringConvertible {
    let description: String

    init(_ sentence: String) { description = sentence }

    var errorDescription: String? { description }
}
