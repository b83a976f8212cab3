// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageFleet
import Testing

/// What a row states about its file's requests.
@Suite struct SubmittedRowTests {
    private func isRepeatable(_ change: (inout TransferSpec) throws -> Void) throws -> Bool {
        let url = try RequestURL("https://files.example/a")
        let identity = FileIdentity(device: 0, inode: 0, size: 1, modified: 1)
        var spec = TransferSpec(
            direction: .upload(.init(path: "/mnt/a", identity: identity)),
            url: url,
            owner: "command"
        )
        try change(&spec)
        return SubmittedRow(spec, try FleetSpec(spec)).isRepeatable
    }

    @Test(arguments: [false, true]) func `a request with the whole file is repeated if its method or a key says so`(
        isResumable: Bool
    ) throws {
        let url = try RequestURL("https://files.example/a")
        for (method, key, isRepeated) in [
            ("PUT", nil, true), ("POST", nil, false), ("PATCH", nil, false), ("POST", "k", true),
        ] as [(String, String?, Bool)] {
            let found = try isRepeatable {
                if isResumable { $0.dialect = ResumableParameters.dialectSpec(at: url) }
                $0.method = method
                $0.idempotencyKey = key
            }
            #expect(found == isRepeated, "\(method)")
        }
    }
}
