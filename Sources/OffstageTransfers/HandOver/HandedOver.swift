// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

extension TransferQueue {
    /// A handed-over specification, with its JSON if that already exists.
    package struct HandedOver: Sendable {
        var spec: TransferSpec
        var json: [UInt8]?

        package init(_ spec: TransferSpec, json: [UInt8]? = nil) {
            self.spec = spec
            self.json = json
        }

        /// The same, with the memory that came with it adapted to this machine's file.
        var adopted: HandedOver {
            guard spec.keeper != nil, spec.keptUpload != nil else { return self }
            var spec = spec
            spec.keptUpload = Dialects.adoptedMemory(spec).map { Base64Bytes(bytes: $0) }
            return HandedOver(spec)
        }
    }
}
