// SPDX-License-Identifier: Apache-2.0

// As Apple's UIKit brings Foundation with it, so does this, with the background sessions in it.
@_exported public import Offstage
