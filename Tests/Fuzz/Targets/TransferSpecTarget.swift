// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTransfers

/// A specification as a client, an app or the store has it: read, checked, made into a transfer and written again.
enum TransferSpecTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        guard let spec = try? ForeignJSON.decode(TransferSpec.self, from: Array(bytes)) else { return }
        _ = SessionTaskAdmission(app: spec.owner, downloads: "/d", spool: "/s").isTaken(spec)
        guard (try? spec.validate()) != nil else { return }
        guard let json = try? spec.json(), let again = try? ForeignJSON.decode(TransferSpec.self, from: json)
        else { return promise(false, "a specification cannot be written and read") }
        promise(again == spec, "a specification is another when it was written and read")
        _ = (spec.path, spec.paths, spec.sources, spec.body?.count, spec.destination, spec.mustAskToBegin)
        var transfer = Transfer(id: TransferID(rawValue: 1), spec: spec, now: fuzzStart)
        _ = transfer.restored(now: fuzzStart)
        _ = try? Dialects.settled(spec, for: nil, now: fuzzStart)
        _ = try? Dialects.make(spec, memory: nil, now: fuzzStart)
    }
}

extension SessionTaskAdmission {
    fileprivate func isTaken(_ spec: TransferSpec) -> Bool { (try? check(spec)) != nil }
}
