// SPDX-License-Identifier: Apache-2.0

/// The kernel's reports on links, addresses and routes, and their consequences for a host: a value without I/O.
///
/// It reports a problem only if every attempt to connect must fail; otherwise it reports none.
package struct NetworkPaths: Sendable, Equatable {
    private struct Link: Sendable, Equatable {
        var isLoopback: Bool
        var isRunning: Bool
    }

    private struct Address: Sendable, Hashable {
        var index: Int32
        var address: IPAddress
    }

    private var links: [Int32: Link] = [:]
    /// Addresses, and whether each is valid only on its link.
    private var addresses: [Address: Bool] = [:]
    private var routes: Set<NetworkRoute> = []
    /// The default routes, one for each link and family. They are kept separately, since they also decide about costs:
    /// no number of other routes may crowd them out.
    private var defaults: Set<NetworkRoute> = []
    /// Whether the kernel has reported everything; until then no host has a problem.
    package var isKnown = false
    /// Whether there are more routes or addresses than are kept. If so, every host counts as covered.
    package private(set) var hasMore = false

    /// The maximum number each of routes, default routes and addresses to keep: a router may know a million.
    package static let limit = 512

    package init() {}

    /// Applies a change.
    package mutating func apply(_ change: NetworkChange) {
        switch change {
        case .link(let index, let isLoopback, let isRunning):
            links[index] = Link(isLoopback: isLoopback, isRunning: isRunning)
        case .linkRemoved(let index):
            links[index] = nil
            addresses = addresses.filter { $0.key.index != index }
            routes = routes.filter { $0.index != index }
            defaults = defaults.filter { $0.index != index }
        case .address(let index, let address, let isLinkScope):
            let key = Address(index: index, address: address)
            guard addresses.count < Self.limit || addresses[key] != nil else {
                hasMore = true
                return
            }
            addresses[key] = isLinkScope
        case .addressRemoved(let index, let address):
            addresses[Address(index: index, address: address)] = nil
        case .route(let route):
            let isKept = route.isDefault ? Self.keep(route, in: &defaults) : Self.keep(route, in: &routes)
            if !isKept { hasMore = true }
        case .routeRemoved(let route):
            routes.remove(route)
            defaults.remove(route)
        }
    }

    /// - Returns: false if there are too many.
    private static func keep(_ route: NetworkRoute, in known: inout Set<NetworkRoute>) -> Bool {
        guard known.count < limit || known.contains(route) else { return false }
        known.insert(route)
        return true
    }

    /// Whether a link other than loopback runs.
    package var hasRunningLink: Bool { links.values.contains { $0.isRunning && !$0.isLoopback } }

    /// Whether the link is already known to have this state.
    package func isLink(_ index: Int32, running: Bool) -> Bool {
        links[index]?.isRunning == running
    }

    /// Whether another route to the same destination is known that leads over another link.
    package func hasRival(of route: NetworkRoute) -> Bool {
        (route.isDefault ? defaults : routes).contains {
            $0.destination == route.destination && $0.prefixLength == route.prefixLength && $0.index != route.index
        }
    }

    /// Why no connection to the host can be made from here; nil if one may be tried.
    ///
    /// - Parameter host: a name or an address, as `RequestURL.host` gives it.
    /// - Returns: the problem that every attempt would meet.
    package func problem(reaching host: String) -> NetworkProblem? {
        guard isKnown, !isHere(host) else { return nil }
        let address = IPAddress(literal: host)
        guard hasRunningLink else { return .noLink }
        if hasMore { return nil }
        // A neighbour's link-local address is reached from a link-local one.
        if address?.isLinkLocal != true, !hasUsableAddress { return .noAddress }
        func isCovered(by route: NetworkRoute) -> Bool {
            guard leadsAway(route) else { return false }
            guard let address else { return !route.isLinkLocal }
            return address.matches(route.destination, length: route.prefixLength)
        }
        return defaults.contains(where: isCovered) || routes.contains(where: isCovered) ? nil : .noRoute
    }

    /// Whether the host is this machine, and no network is used.
    package func isHere(_ host: String) -> Bool {
        guard let address = IPAddress(literal: host) else { return Self.isLocalName(host) }
        return address.isLoopback || addresses.keys.contains { $0.address == address }
    }

    /// The running links with a default route.
    package var defaultLinks: Set<Int32> {
        Set(defaults.lazy.filter { $0.index != 0 && leadsAway($0) }.map(\.index))
    }

    /// Whether there is a network, or why not, in a few words for the daemon's status.
    package var summary: String {
        if !isKnown { return "not known, since the kernel does not report it; every host is tried" }
        return problem(reaching: "name.invalid")?.summary ?? "up"
    }

    /// An address of wider scope on any running link suffices: routers have theirs on loopback.
    private var hasUsableAddress: Bool {
        addresses.contains { key, isLinkScope in !isLinkScope && links[key.index]?.isRunning == true }
    }

    private func leadsAway(_ route: NetworkRoute) -> Bool {
        if route.index == 0 { return true }
        guard let link = links[route.index] else { return false }
        return link.isRunning && !link.isLoopback
    }

    private static func isLocalName(_ host: String) -> Bool {
        let name = (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased()
        return name == "localhost" || name.hasSuffix(".localhost")
    }
}
