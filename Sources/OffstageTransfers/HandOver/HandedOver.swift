// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

extension TransferQueue {
    /// What is handed over, with its JSON where that is there already.
    package struct HandedOver: Sendable {
        var spec: TransferSpec
        var json: [UInt8]?

        package init(_ spec: TransferSpec, json: [UInt8]? = nil) {
            self.spec = spec
            self.json = json
        }
    }
}
