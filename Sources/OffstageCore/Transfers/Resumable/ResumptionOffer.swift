// SPDX-License-Identifier: Apache-2.0

/// Decides which plain uploads tell their server that they can be resumed.
package enum ResumptionOffer {
    /// The size of the shortest file whose upload makes the offer, in bytes: sending a shorter file again is about as
    /// fast as asking how much of it has arrived.
    package static let smallest: Int64 = 1 << 20

    private static let methods: Set<String> = ["PUT", "POST", "PATCH"]
    /// The prefixes of an owner's header fields that belong to another protocol, or that send a part of a file.
    private static let othersFields = ["upload-", "tus-", "content-range", "x-goog-upload", "x-update-range"]

    /// Whether an upload makes the offer.
    package static func isMade(by spec: TransferSpec) -> Bool {
        guard spec.offersResumption == true, spec.dialect == nil, case .upload(let source) = spec.direction,
            methods.contains(spec.method), source.identity.size >= smallest
        else { return false }
        return !spec.headers.contains { field in
            let name = field.name.lowercased()
            return othersFields.contains { name.hasPrefix($0) }
        }
    }
}
