// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A dialect whose memory says which file it is about.
protocol RememberingDialect: UploadDialect {
    associatedtype Memory: DialectMemory
}

extension RememberingDialect {
    /// The memory of another machine's upload, as of this machine's file; nil if it is of no use here.
    static func adopted(_ memory: [UInt8], as source: FileIdentity) -> [UInt8]? {
        Memory(adopting: memory, as: source)?.json
    }
}
