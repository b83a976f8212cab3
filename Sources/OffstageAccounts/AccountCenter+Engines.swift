// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The accounts as sessions see them.
extension AccountCenter: TransferAdmission {}
