// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore
import OffstageWork

/// The kernel's messages about links, addresses and routes, and the resulting reachability.
enum NetlinkTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        // A copy of exactly this length, so that a read beyond its end is found; the kernel aligns its messages.
        withUnsafeTemporaryAllocation(byteCount: max(1, bytes.count), alignment: 8) { buffer in
            buffer.copyMemory(from: bytes)
            guard let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            var paths = NetworkPaths()
            paths.isKnown = true
            var position = 0
            while position < bytes.count {
                var item = offstage_netlink_item()
                let used = offstage_netlink_parse(start + position, bytes.count - position, &item)
                guard used > 0 else { break }
                promise(used <= bytes.count - position, "a message is longer than what came")
                position += used
                if case .present(let change)? = NetworkNews(item) { take(change, &paths) }
            }
            for host in ["192.0.2.1", "::1", "fe80::1", "files.example.org"] { _ = paths.problem(reaching: host) }
            _ = paths.summary
        }
    }

    private static func take(_ change: NetworkChange, _ paths: inout NetworkPaths) {
        if case .route(let route) = change { _ = paths.hasRival(of: route) }
        if case .link(let index, _, let isRunning) = change { _ = paths.isLink(index, running: isRunning) }
        paths.apply(change)
    }
}
