// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageWork
import Testing

@Suite struct `News of the network` {
    /// The kernel's message about a route, to 192.0.2.0 or to everywhere.
    private static func route(_ length: Int32, isRemoved: Bool) throws -> NetworkNews {
        var item = offstage_netlink_item()
        item.kind = 3
        item.removed = isRemoved ? 1 : 0
        item.interface_index = 4
        item.family = AF_INET
        item.is_unicast = 1
        item.prefix_length = length
        if length > 0 { (item.destination.0, item.destination.1, item.destination.2) = (192, 0, 2) }
        return try #require(NetworkNews(item))
    }

    @Test(arguments: [false, true])
    func `where more routes are known than are kept, those to everywhere alone matter`(isRemoved: Bool) throws {
        var paths = NetworkPaths()
        let ordinary = try Self.route(24, isRemoved: isRemoved)
        let toEverywhere = try Self.route(0, isRemoved: isRemoved)
        #expect(ordinary.matters(to: paths))
        #expect(toEverywhere.matters(to: paths))
        for number in 0...NetworkPaths.limit {
            let destination = IPAddress(family: .ip4, bits: UInt128(0x0B00_0000 + number * 256))
            paths.apply(.route(NetworkRoute(destination: destination, prefixLength: 24, index: 4)))
        }
        #expect(paths.hasMore)
        #expect(!ordinary.matters(to: paths))
        #expect(toEverywhere.matters(to: paths))
        #expect(NetworkNews.addressGone.matters(to: paths))
        #expect(NetworkNews.present(.linkRemoved(index: 4)).matters(to: paths))
    }
}
