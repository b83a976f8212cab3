// SPDX-License-Identifier: Apache-2.0

extension AppLife {
    /// Notes when the app was last in front or woken, in seconds on the boot-time clock; stored with the next `persist`.
    package mutating func noteUse(at uptime: Double) { registration.lastUsed = uptime }
}
