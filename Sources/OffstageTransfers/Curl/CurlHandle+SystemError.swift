// SPDX-License-Identifier: Apache-2.0
import CCurl

extension CurlHandle {
    /// The errno of the last system call that failed for any of the handle's requests; 0 for none.
    var systemError: Int32 { Int32(truncatingIfNeeded: long(of: CURLINFO_OS_ERRNO)) }
}
