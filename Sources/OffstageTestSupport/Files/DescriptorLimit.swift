// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The limit of open files of a process of tests. All tests of such a process share it, and more than a thousand servers,
/// stores and loops may be open at once: a usual soft limit of 1,024 lets whoever comes last fail.
package enum DescriptorLimit {
    /// As many as the daemon takes.
    private static let wanted: rlim_t = 65_536

    private static let raised: Bool = {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return false }
        guard limit.rlim_cur < min(wanted, limit.rlim_max) else { return true }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        return setrlimit(resource, &limit) == 0
    }()

    /// Raises the soft limit, once in a process.
    ///
    /// - Returns: whether the limit is as high as it may be.
    @discardableResult
    package static func raise() -> Bool { raised }
}
