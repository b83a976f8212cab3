// SPDX-License-Identifier: Apache-2.0

// Like Apple's UIKit, this re-exports Foundation, with the background sessions in it.
@_exported public import Offstage
