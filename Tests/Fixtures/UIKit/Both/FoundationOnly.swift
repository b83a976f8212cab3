// SPDX-License-Identifier: Apache-2.0
// Names UIKit's types without importing them, as a file of a module does of which another file imports UIKit.
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
