// SPDX-License-Identifier: Apache-2.0
import Foundation
import Offstage
import OffstageCore

extension Stage {
    /// Prepares for suspension: nothing holds the app any more, and the daemon stops it as soon as possible.
    ///
    /// That is when the main thread has finished its current and queued work, and no other code of the app runs in a
    /// call from the library, or has just returned from one. The user defaults are on disk then, since a suspended app
    /// may be killed.
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
