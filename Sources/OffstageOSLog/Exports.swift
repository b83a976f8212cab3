// SPDX-License-Identifier: Apache-2.0

// As Apple's OSLog brings os and Foundation with it. A module of its own: the compiler takes no two aliases for one.
@_exported public import Foundation
@_exported public import OffstageOS
