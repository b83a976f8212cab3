// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Uploads that a member of a fleet carries out.
extension UploadCommand {
    /// Refuses options that only this machine could honour.
    func checkFleet() throws(UsageError) {
        guard fleet != nil else { return }
        let refused = [
            (!form.isEmpty, "-F"), (!data.isEmpty, "--data"), (usesSnapshot, "--snapshot"),
            (!options.predecessors.isEmpty, "--after"), (options.onDone != nil, "--on-done"),
            (options.notify != nil, "--notify"), (options.waitsForCredentials, "--wait-for-credentials"),
            (options.recordsDigest, "--sha256"), (idempotencyKey != nil, "--idempotency-key"),
        ]
        if let option = refused.first(where: \.0)?.1 {
            throw UsageError("\(option) cannot be used with --fleet: another machine sends the file")
        }
    }
}
