// SPDX-License-Identifier: Apache-2.0
// Imports only a part of UIKit.
import UIKit.UIApplication

@MainActor
func isInBackground() -> Bool { UIApplication.shared.applicationState == .background }
