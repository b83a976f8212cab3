// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A dialect that leaves connections to other transfers with the same host: unless its owner specifies a number, it
/// uses only free connections, and each counts as a transfer.
package protocol SharingDialect: UploadDialect {
    /// How many connections beyond the first are free at the host when the attempt begins; nil if that is not known.
    var freeConnections: Int? { get set }
}
