// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The limit of open files of a test process. All tests of the process share it, and more than a thousand servers,
/// stores and loops may be open at once: with the usual soft limit of 1,024, the last ones fail.
package enum DescriptorLimit {
    /// The same limit as the daemon's.
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
    /// - Returns: whether the limit is as high as possible.
    @discardableResult
    package static func raise() -> Bool { raised }
}
