// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct NetworkPathsTests {
    /// Loopback, and link 2 with an address and a default route in each family.
    private static func online() throws -> NetworkPaths {
        var paths = NetworkPaths()
        paths.isKnown = true
        paths.apply(.link(index: 1, isLoopback: true, isRunning: true))
        paths.apply(.address(index: 1, try ip("127.0.0.1"), isLinkScope: true))
        paths.apply(.address(index: 1, try ip("::1"), isLinkScope: true))
        paths.apply(.link(index: 2, isLoopback: false, isRunning: true))
        paths.apply(.address(index: 2, try ip("192.0.2.10"), isLinkScope: false))
        paths.apply(.address(index: 2, try ip("fe80::10"), isLinkScope: true))
        for route in try basicRoutes() { paths.apply(.route(route)) }
        return paths
    }

    private static func basicRoutes() throws -> [NetworkRoute] {
        [
            try route("0.0.0.0", 0, 2), try route("192.0.2.0", 24, 2), try route("fe80::", 64, 2),
            try route("127.0.0.0", 8, 1),
        ]
    }

    private static func ip(_ text: String) throws -> IPAddress { try #require(IPAddress(literal: text)) }

    private static func route(_ text: String, _ length: Int, _ index: Int32) throws -> NetworkRoute {
        NetworkRoute(destination: try ip(text), prefixLength: length, index: index)
    }

    static let localHosts = [
        "localhost", "LOCALHOST", "localhost.", "a.localhost", "127.0.0.1", "127.255.255.254", "::1", "0.0.0.0", "::",
    ]
    static let remoteHosts = [
        "example.org", "192.0.2.1", "203.0.113.1", "2001:db8::1", "localhost.example.org", "notlocalhost",
    ]

    @Test(arguments: localHosts) func `this machine is always within reach`(host: String) {
        var paths = NetworkPaths()
        paths.isKnown = true
        #expect(paths.problem(reaching: host) == nil)
    }

    @Test(arguments: localHosts) func `what stays on this machine uses no network`(host: String) throws {
        #expect(NetworkPaths().isHere(host))
        #expect(try Self.online().isHere("192.0.2.10"))
        #expect(try !Self.online().isHere("192.0.2.1"))
    }

    @Test func `the links that lead to other networks are those with a default route`() throws {
        var paths = try Self.online()
        #expect(paths.defaultLinks == [2])
        paths.apply(.link(index: 3, isLoopback: false, isRunning: true))
        paths.apply(.route(try Self.route("203.0.113.0", 24, 3)))
        #expect(paths.defaultLinks == [2])
        paths.apply(.route(try Self.route("::", 0, 3)))
        #expect(paths.defaultLinks == [2, 3])
        paths.apply(.link(index: 2, isLoopback: false, isRunning: false))
        #expect(paths.defaultLinks == [3])
        #expect(NetworkPaths().defaultLinks == [])
    }

    @Test(arguments: localHosts + remoteHosts) func `where the kernel does not tell, everything may be tried`(
        host: String
    ) {
        #expect(NetworkPaths().problem(reaching: host) == nil)
    }

    @Test(arguments: remoteHosts) func `with no link that runs there is no link`(host: String) throws {
        var paths = NetworkPaths()
        paths.isKnown = true
        #expect(paths.problem(reaching: host) == .noLink)
        paths.apply(.link(index: 1, isLoopback: true, isRunning: true))
        #expect(paths.problem(reaching: host) == .noLink)
        paths.apply(.link(index: 2, isLoopback: false, isRunning: false))
        #expect(paths.problem(reaching: host) == .noLink)
        paths = try Self.online()
        paths.apply(.link(index: 2, isLoopback: false, isRunning: false))
        #expect(paths.problem(reaching: host) == .noLink)
        paths.apply(.link(index: 2, isLoopback: false, isRunning: true))
        #expect(paths.problem(reaching: host) != .noLink)
        paths.apply(.linkRemoved(index: 2))
        #expect(paths.problem(reaching: host) == .noLink)
    }

    @Test(arguments: remoteHosts) func `with no address of use there is no address`(host: String) throws {
        var paths = try Self.online()
        paths.apply(.addressRemoved(index: 2, try Self.ip("192.0.2.10")))
        #expect(paths.problem(reaching: host) == .noAddress)
        // An address is of no use on a link that is down.
        paths.apply(.link(index: 3, isLoopback: false, isRunning: false))
        paths.apply(.address(index: 3, try Self.ip("198.51.100.1"), isLinkScope: false))
        #expect(paths.problem(reaching: host) == .noAddress)
        // A router's address may be on loopback.
        paths.apply(.address(index: 1, try Self.ip("198.51.100.2"), isLinkScope: false))
        #expect(paths.problem(reaching: host) != .noAddress)
    }

    @Test func `an address that becomes usable is, and one that ceases to be is not`() throws {
        var paths = try Self.online()
        let address = try Self.ip("192.0.2.10")
        paths.apply(.address(index: 2, address, isLinkScope: true))
        #expect(paths.problem(reaching: "example.org") == .noAddress)
        paths.apply(.address(index: 2, address, isLinkScope: false))
        #expect(paths.problem(reaching: "example.org") == nil)
    }

    @Test func `a link-local neighbour is reached without any other address`() throws {
        var paths = try Self.online()
        paths.apply(.addressRemoved(index: 2, try Self.ip("192.0.2.10")))
        #expect(paths.problem(reaching: "fe80::2%eth0") == nil)
        paths.apply(.routeRemoved(try Self.route("fe80::", 64, 2)))
        #expect(paths.problem(reaching: "fe80::2") == .noRoute)
    }

    @Test func `an address needs a route that covers it`() throws {
        var paths = try Self.online()
        #expect(paths.problem(reaching: "192.0.2.1") == nil)
        #expect(paths.problem(reaching: "203.0.113.1") == nil)
        #expect(paths.problem(reaching: "2001:db8::1") == .noRoute)
        paths.apply(.routeRemoved(try Self.route("0.0.0.0", 0, 2)))
        #expect(paths.problem(reaching: "192.0.2.1") == nil)
        #expect(paths.problem(reaching: "203.0.113.1") == .noRoute)
        paths.apply(.route(try Self.route("::", 0, 2)))
        #expect(paths.problem(reaching: "2001:db8::1") == nil)
        #expect(paths.problem(reaching: "203.0.113.1") == .noRoute)
    }

    @Test func `a name needs any route that leads beyond the link`() throws {
        var paths = try Self.online()
        paths.apply(.routeRemoved(try Self.route("0.0.0.0", 0, 2)))
        // The name may be a neighbour's.
        #expect(paths.problem(reaching: "example.org") == nil)
        paths.apply(.routeRemoved(try Self.route("192.0.2.0", 24, 2)))
        #expect(paths.problem(reaching: "example.org") == .noRoute)
        for route in [try Self.route("ff00::", 8, 2), try Self.route("169.254.0.0", 16, 2)] {
            paths.apply(.route(route))
            #expect(paths.problem(reaching: "example.org") == .noRoute)
        }
    }

    @Test func `a route counts only while its link runs`() throws {
        var paths = try Self.online()
        paths.apply(.link(index: 3, isLoopback: false, isRunning: true))
        paths.apply(.address(index: 3, try Self.ip("198.51.100.1"), isLinkScope: false))
        paths.apply(.route(try Self.route("198.51.100.0", 24, 3)))
        paths.apply(.link(index: 2, isLoopback: false, isRunning: false))
        #expect(paths.problem(reaching: "192.0.2.1") == .noRoute)
        #expect(paths.problem(reaching: "198.51.100.7") == nil)
        paths.apply(.link(index: 2, isLoopback: false, isRunning: true))
        #expect(paths.problem(reaching: "192.0.2.1") == nil)
        // A route over several links names none of them.
        paths.apply(.route(NetworkRoute(destination: try Self.ip("::"), prefixLength: 0, index: 0)))
        #expect(paths.problem(reaching: "2001:db8::1") == nil)
        // A route over an unknown link leads nowhere.
        paths.apply(.routeRemoved(NetworkRoute(destination: try Self.ip("::"), prefixLength: 0, index: 0)))
        paths.apply(.route(NetworkRoute(destination: try Self.ip("::"), prefixLength: 0, index: 77)))
        #expect(paths.problem(reaching: "2001:db8::1") == .noRoute)
    }

    @Test func `one's own address is within reach whatever the routes`() throws {
        var paths = try Self.online()
        for route in try Self.basicRoutes() { paths.apply(.routeRemoved(route)) }
        paths.apply(.link(index: 2, isLoopback: false, isRunning: false))
        #expect(paths.problem(reaching: "192.0.2.10") == nil)
        #expect(paths.problem(reaching: "192.0.2.11") == .noLink)
    }

    @Test func `more routes than are kept cover everything`() throws {
        var paths = try Self.crowded()
        #expect(paths.hasMore)
        #expect(paths.problem(reaching: "2001:db8::1") == nil)
        paths.apply(.link(index: 2, isLoopback: false, isRunning: false))
        #expect(paths.problem(reaching: "2001:db8::1") == .noLink)
    }

    /// Link 2 as in `online`, with more routes than the limit.
    private static func crowded() throws -> NetworkPaths {
        var paths = try online()
        for number in 0..<(NetworkPaths.limit * 2) {
            let destination = IPAddress(family: .ip4, bits: UInt128(0x0B00_0000 + number * 256))
            paths.apply(.route(NetworkRoute(destination: destination, prefixLength: 24, index: 2)))
        }
        return paths
    }

    @Test func `however many routes are known, those to everywhere still tell which links are used`() throws {
        var paths = try Self.crowded()
        #expect(paths.hasMore)
        paths.apply(.link(index: 3, isLoopback: false, isRunning: true))
        #expect(paths.hasRival(of: try Self.route("0.0.0.0", 0, 3)))
        paths.apply(.route(try Self.route("0.0.0.0", 0, 3)))
        paths.apply(.route(try Self.route("::", 0, 3)))
        #expect(paths.defaultLinks == [2, 3])
        paths.apply(.routeRemoved(try Self.route("0.0.0.0", 0, 2)))
        #expect(paths.defaultLinks == [3])
        paths.apply(.linkRemoved(index: 3))
        #expect(paths.defaultLinks == [])
    }

    @Test func `routes to everywhere have a bound of their own`() throws {
        var paths = NetworkPaths()
        for index in 1...Int32(NetworkPaths.limit + 1) {
            paths.apply(.link(index: index, isLoopback: false, isRunning: true))
            #expect(!paths.hasMore)
            paths.apply(.route(try Self.route("::", 0, index)))
        }
        #expect(paths.hasMore)
        #expect(paths.defaultLinks.count == NetworkPaths.limit)
    }

    @Test func `more addresses than are kept make any of them do`() throws {
        var paths = try Self.online()
        for number in 0..<(NetworkPaths.limit * 2) {
            paths.apply(
                .address(index: 2, IPAddress(family: .ip4, bits: UInt128(0x0B00_0000 + number)), isLinkScope: true)
            )
        }
        #expect(paths.hasMore)
        #expect(paths.problem(reaching: "example.org") == nil)
    }

    @Test func `what a link's change means is told from what is known`() throws {
        let paths = try Self.online()
        #expect(paths.isLink(2, running: true))
        #expect(!paths.isLink(2, running: false))
        #expect(!paths.isLink(9, running: true))
        #expect(paths.hasRival(of: try Self.route("0.0.0.0", 0, 3)))
        #expect(!paths.hasRival(of: try Self.route("0.0.0.0", 0, 2)))
        #expect(!paths.hasRival(of: try Self.route("0.0.0.0", 1, 3)))
        #expect(paths.hasRunningLink)
    }

    @Test func `the summary says how it is`() throws {
        #expect(NetworkPaths().summary.contains("not known"))
        var paths = try Self.online()
        #expect(paths.summary == "up")
        paths.apply(.linkRemoved(index: 2))
        #expect(paths.summary == NetworkProblem.noLink.summary)
    }
}
