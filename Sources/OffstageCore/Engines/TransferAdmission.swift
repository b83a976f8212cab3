// SPDX-License-Identifier: Apache-2.0

/// Accounts, as background sessions need them.
package protocol TransferAdmission: Actor {
    /// A transfer as it is accepted; unchanged without an account.
    ///
    /// - Parameters:
    ///   - spec: the owner's specification.
    ///   - requiresAccount: whether the transfer is refused if there is no account of that name.
    /// - Returns: the specification to keep.
    /// - Throws: `RequestError` with the mistake, `StoreError`.
    func admitted(_ spec: TransferSpec, requiresAccount: Bool) async throws -> TransferSpec
}
