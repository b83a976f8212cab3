// SPDX-License-Identifier: Apache-2.0

/// One change of the network, independent of the kernel's format.
package enum NetworkChange: Sendable, Equatable {
    /// A link exists, or has changed. It runs if it is switched on and has a carrier.
    case link(index: Int32, isLoopback: Bool, isRunning: Bool)
    case linkRemoved(index: Int32)
    /// An address can be used. An address of link scope reaches nothing beyond its link.
    case address(index: Int32, IPAddress, isLinkScope: Bool)
    case addressRemoved(index: Int32, IPAddress)
    case route(NetworkRoute)
    case routeRemoved(NetworkRoute)
}

/// A unicast route: packets to these addresses may leave through this link.
package struct NetworkRoute: Sendable, Hashable {
    package var destination: IPAddress
    /// Bits of `destination` that count; 0 is a default route.
    package var prefixLength: Int
    /// The link's index; 0 if the route leads over several.
    package var index: Int32

    package init(destination: IPAddress, prefixLength: Int, index: Int32) {
        self.destination = destination
        self.prefixLength = prefixLength
        self.index = index
    }

    /// Whether it is a default route.
    package var isDefault: Bool { prefixLength == 0 }

    /// Whether it only leads to neighbours on a link, such as the one that every link with IPv6 has, or to multicast
    /// groups.
    package var isLinkLocal: Bool {
        if isDefault { return false }
        return destination.isLinkLocal || destination.family == .ip6 && destination.bits >> 120 == 0xFF
    }
}
