// SPDX-License-Identifier: Apache-2.0
// Uses UIKit's types without importing it, as is possible if another file of the module imports UIKit.
import Foundation

@MainActor
enum Standing {
    static var isInBackground: Bool { UIApplication.shared.applicationState == .background }
    static let session = URLSession(
        configuration: .background(withIdentifier: "com.example.foundation-only"),
        delegate: nil,
        delegateQueue: nil
    )
}
