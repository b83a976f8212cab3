// SPDX-License-Identifier: Apache-2.0

/// Why a host cannot be reached from here at all, according to the kernel and without any attempt to connect.
package enum NetworkProblem: String, Sendable, Hashable, Codable {
    case noLink
    case noAddress
    case noRoute

    package var summary: String {
        switch self {
        case .noLink: "no network interface is up"
        case .noAddress: "no network interface has an address"
        case .noRoute: "there is no route to the host"
        }
    }

    package var advice: String {
        switch self {
        case .noLink: "Connect a cable or join a wireless network; it continues by itself."
        case .noAddress: "Check DHCP or the interface's address; it continues by itself."
        case .noRoute: "Check the default gateway or the VPN; it continues by itself."
        }
    }
}
