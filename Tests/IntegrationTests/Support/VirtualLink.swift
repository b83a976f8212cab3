// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Synchronization

/// Two network namespaces joined by a veth pair, IPv4 only: a machine and a server with a cable that can be pulled.
/// Needs root and iproute2.
final class VirtualLink {
    /// The namespace of the daemon and the command.
    let near: String
    /// The namespace of the server.
    let far: String
    let nearAddress = "10.211.47.1"
    let farAddress = "10.211.47.2"

    private static let made = Mutex(0)

    init() throws {
        // Suites run concurrently.
        let count = Self.made.withLock { made in
            made += 1
            return made
        }
        let number = "\(getpid() % 10_000)x\(count)"
        near = "ostn\(number)"
        far = "ostf\(number)"
        try Self.ip("netns", "add", near)
        try Self.ip("netns", "add", far)
        // Created out here, so that the ends keep different numbers: with the same number, the kernel takes them for
        // real cards, whose carrier it checks once a second.
        try Self.ip("link", "add", "osta\(number)", "type", "veth", "peer", "name", "ostb\(number)")
        try Self.ip("link", "set", "osta\(number)", "netns", near)
        try Self.ip("link", "set", "ostb\(number)", "netns", far)
        try Self.ip("-n", near, "link", "set", "osta\(number)", "name", "cable")
        try Self.ip("-n", far, "link", "set", "ostb\(number)", "name", "cable")
        for (namespace, address) in [(near, nearAddress), (far, farAddress)] {
            // Duplicate address detection would keep IPv6 addresses tentative for a while, and a neighbour that does
            // not answer at once is asked again after a second. Neither is under test.
            _ = try ChildProcess.run(
                "/usr/sbin/ip",
                [
                    "netns", "exec", namespace, "/bin/sh", "-c",
                    """
                    echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6
                    echo 50 > /proc/sys/net/ipv4/neigh/cable/retrans_time_ms
                    echo 60 > /proc/sys/net/ipv4/neigh/cable/mcast_solicit
                    """,
                ]
            )
            try Self.ip("-n", namespace, "address", "add", "\(address)/24", "dev", "cable")
            try Self.ip("-n", namespace, "link", "set", "lo", "up")
            try Self.ip("-n", namespace, "link", "set", "cable", "up")
        }
    }

    deinit { remove() }

    /// The file for `FaultServer(namespace:)`.
    var farPath: String { "/run/netns/\(far)" }

    /// The prefix of a command that runs in the near namespace.
    var nearPrefix: [String] { ["/usr/sbin/ip", "netns", "exec", near] }

    /// Unplugs the near end of the cable, or plugs it in again; the kernel's routes go and come with it.
    func setUp(_ isUp: Bool) throws {
        try Self.ip("-n", near, "link", "set", "cable", isUp ? "up" : "down")
    }

    /// Takes the far end down: the near end stays up and loses its carrier, as with a cable.
    func setCarrier(_ isThere: Bool) throws {
        try Self.ip("-n", far, "link", "set", "cable", isThere ? "up" : "down")
    }

    func remove() {
        for namespace in [near, far] { _ = try? ChildProcess.run("/usr/sbin/ip", ["netns", "delete", namespace]) }
    }

    static func ip(_ arguments: String...) throws {
        let result = try ChildProcess.run("/usr/sbin/ip", arguments)
        guard result.isSuccess else { throw TestError("ip \(arguments.joined(separator: " ")): \(result.errors)") }
    }
}
