// SPDX-License-Identifier: Apache-2.0
import Foundation
import Offstage
import OffstageCore

extension Stage {
    /// Prepares for suspension: nothing holds the app any more, and the daemon stops it as soon as possible.
    ///
    /// The app can be stopped once the main thread has finished its current and queued work, and no other code of the
    /// app is running in a call from the library or has just returned from one. The user defaults are on disk by then,
    /// since a suspended app may be killed.
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
