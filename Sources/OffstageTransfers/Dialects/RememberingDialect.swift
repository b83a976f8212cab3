// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A dialect whose memory identifies its file.
protocol RememberingDialect: UploadDialect {
    associatedtype Memory: DialectMemory
}

extension RememberingDialect {
    /// The memory of another machine's upload, adapted to this machine's file; nil if it is unusable here.
    static func adopted(_ memory: [UInt8], as source: FileIdentity) -> [UInt8]? {
        Memory(adopting: memory, as: source)?.json
    }
}
