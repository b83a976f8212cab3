// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

extension TransferQueue {
    /// A specification that is handed over, with its JSON if that already exists.
    package struct HandedOver: Sendable {
        var spec: TransferSpec
        var json: [UInt8]?

        package init(_ spec: TransferSpec, json: [UInt8]? = nil) {
            self.spec = spec
            self.json = json
        }
    }
}
