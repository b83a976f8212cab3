// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The interface of accounts for sessions.
extension AccountCenter: TransferAdmission {}
