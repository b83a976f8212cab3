// SPDX-License-Identifier: Apache-2.0
// Imports no more than a part.
import UIKit.UIApplication

@MainActor
func isInBackground() -> Bool { UIApplication.shared.applicationState == .background }
