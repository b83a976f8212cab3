// SPDX-License-Identifier: Apache-2.0
import Foundation
import Offstage
import OffstageCore

extension Stage {
    /// Nothing holds the app any more: the daemon stops it as soon as it may.
    ///
    /// It may when what the main thread is at, and what waits for it there, is done, and no other code of the app runs in a
    /// call of the library's. What the app has set as a default is on the disk then, since a suspended app may be killed.
    func prepareToSuspend(_ number: Int) {
        report(.finishing(number))
        onMain {
            AppCode.current.whenIdle {
                DefaultsInUse.write()
                Stage.current.change { $0.prepared(number) }
            }
        }
    }
}
