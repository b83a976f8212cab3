// SPDX-License-Identifier: Apache-2.0

/// What background sessions need of accounts.
package protocol TransferAdmission: Actor {
    /// A transfer as it is taken in; one that is for no account is as it was.
    ///
    /// - Parameters:
    ///   - spec: as its owner wrote it.
    ///   - requiresAccount: whether it is refused when there is no account of that name.
    /// - Returns: what is kept.
    /// - Throws: `RequestError` with what is wrong, `StoreError`.
    func admitted(_ spec: TransferSpec, requiresAccount: Bool) async throws -> TransferSpec
}
