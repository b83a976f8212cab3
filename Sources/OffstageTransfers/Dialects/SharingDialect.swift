// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A dialect that leaves connections to other transfers with the same host: unless its owner says how many it may use,
/// it uses only free ones, and each counts as a transfer.
package protocol SharingDialect: UploadDialect {
    /// How many connections beyond the first the host has left as the attempt begins; nil if that is not known.
    var freeConnections: Int? { get set }
}
