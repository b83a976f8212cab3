// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A dialect that needs its source hashed.
package protocol HashingDialect: UploadDialect {
    /// The known digests of the source; nil if unknown. An attempt receives the previous attempt's digests as long as
    /// the source is the same.
    var digests: BlockDigests? { get set }
}
