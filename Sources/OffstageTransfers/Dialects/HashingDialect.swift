// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A dialect that has its source hashed.
package protocol HashingDialect: UploadDialect {
    /// What is known of the source's digests; nil for nothing. An attempt is given what the one before it knew, as long as
    /// the source is the same.
    var digests: BlockDigests? { get set }
}
