// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Why a fleet did not accept uploads.
public struct FleetError: Error, Sendable, Hashable, LocalizedError {
    /// One sentence for a person, without secrets.
    public let errorDescription: String?

    init(_ sentence: String) { errorDescription = sentence }
}
