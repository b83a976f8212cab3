// SPDX-License-Identifier: Apache-2.0
package import COffstageLinux
import Glibc
package import OffstageCore

/// A netlink message in the rule's terms.
package enum NetworkNews {
    case present(NetworkChange)
    case addressGone
    case routeGone(isDefault: Bool)

    /// `RT_SCOPE_LINK`, which the C library's module lacks; narrower scopes are greater.
    private static let linkScope: Int32 = 253

    /// Whether the message may change anything, given these paths. A router's routes change all day, and those beyond
    /// the limit decide nothing; but default routes are always kept, and decide the network's cost.
    package func matters(to paths: NetworkPaths) -> Bool {
        guard paths.hasMore else { return true }
        return switch self {
        case .present(.route(let route)): route.isDefault
        case .routeGone(let isDefault): isDefault
        default: true
        }
    }

    /// Nil for messages that no rule needs.
    package init?(_ item: offstage_netlink_item) {
        let index = Int32(truncatingIfNeeded: item.interface_index)
        let isRemoved = item.removed != 0
        switch item.kind {
        case 1:
            self = .present(
                isRemoved
                    ? .linkRemoved(index: index)
                    : .link(index: index, isLoopback: item.is_loopback != 0, isRunning: item.is_running != 0)
            )
        case 2:
            guard let address = IPAddress(item) else { return nil }
            // An address that is not known to be unique yet cannot be used.
            let isLinkScope = item.scope >= Self.linkScope || item.is_dead != 0
            self = isRemoved ? .addressGone : .present(.address(index: index, address, isLinkScope: isLinkScope))
        case 3:
            guard item.is_unicast != 0, let destination = IPAddress(item) else { return nil }
            // The link itself reports sooner that it is down.
            let route = NetworkRoute(destination: destination, prefixLength: Int(item.prefix_length), index: index)
            self = isRemoved ? .routeGone(isDefault: route.isDefault) : .present(.route(route))
        default:
            return nil
        }
    }
}

extension IPAddress {
    fileprivate init?(_ item: offstage_netlink_item) {
        let family: Family
        switch item.family {
        case AF_INET: family = .ip4
        case AF_INET6: family = .ip6
        default: return nil
        }
        self = withUnsafeBytes(of: item.destination) { IPAddress(family: family, bytes: $0) }
    }
}
