// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A dialect that leaves connections to other transfers with the same host: unless its owner says how many it may use, it
/// uses no more than are free, and those that it uses count as so many transfers.
package protocol SharingDialect: UploadDialect {
    /// How many more connections than one the host has for it, as the attempt begins; nil if that is not known.
    var freeConnections: Int? { get set }
}
