// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What sessions know of accounts.
extension AccountCenter: TransferAdmission {}
