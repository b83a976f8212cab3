// SPDX-License-Identifier: Apache-2.0
import Foundation
import Offstage
import OffstageCore

extension Stage {
    /// Nothing holds the app any more: the daemon stops it as soon as possible.
    ///
    /// That is when the main thread has finished its current and queued work, and no other code of the app runs in a
    /// call from the library, or has returned from one just now. The app's user defaults are on the disk then, since a
    /// suspended app may be killed.
    func prepareToSuspend(_ number: Int) {
        report(.finishing(number))
        onMain {
            AppCode.current.whenQuiet {
                DefaultsInUse.write()
                Stage.current.change { $0.prepared(number) }
            }
        }
    }
}
