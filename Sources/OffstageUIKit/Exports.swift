// SPDX-License-Identifier: Apache-2.0

// Like Apple's UIKit, this re-exports Foundation, including the background sessions.
@_exported public import Offstage
