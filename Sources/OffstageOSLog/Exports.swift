// SPDX-License-Identifier: Apache-2.0

// Like Apple's OSLog, this re-exports os and Foundation. It is a separate module, since the compiler accepts only one
// alias for each module.
@_exported public import Foundation
@_exported public import OffstageOS
