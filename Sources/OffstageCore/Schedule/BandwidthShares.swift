// SPDX-License-Identifier: Apache-2.0

/// Divides one bandwidth limit between the running attempts: equally, except that bandwidth one cannot use goes to the
/// others.
package enum BandwidthShares {
    /// - Parameters:
    ///   - limit: bytes a second for all attempts together; nil if unlimited.
    ///   - caps: each attempt's own limit; nil if it has none.
    /// - Returns: bytes a second for each attempt, in the same order; nil if unlimited.
    package static func divide(_ limit: Int64?, caps: [Int64?]) -> [Int64?] {
        guard let limit else { return caps }
        var shares = [Int64?](repeating: nil, count: caps.count)
        // An attempt with a limit of 0 would never end.
        let caps = caps.map { $0.map { max(1, $0) } }
        var left = max(1, limit)
        var open = Array(caps.indices)
        while !open.isEmpty {
            let equal = max(1, left / Int64(open.count))
            let capped = open.filter { (caps[$0] ?? .max) <= equal }
            guard !capped.isEmpty else {
                for index in open { shares[index] = equal }
                break
            }
            for index in capped {
                shares[index] = caps[index]
                left -= caps[index] ?? 0
            }
            open.removeAll(where: capped.contains)
        }
        return shares
    }

    /// The requests of one transfer that are under way, and its own limit; nil if it has none.
    package typealias Requests = (keys: [RequestKey], cap: Int64?)

    /// Divides the limit among transfers, and the share of each among its requests.
    package static func divide(_ limit: Int64?, among transfers: [Requests]) -> [(key: RequestKey, rate: Int64?)] {
        zip(transfers, divide(limit, caps: transfers.map(\.cap))).flatMap { transfer, share in
            // A request with a limit of 0 would never end.
            let rate = share.map { max(1, $0 / Int64(max(1, transfer.keys.count))) }  // checked: not 0
            return transfer.keys.map { ($0, rate) }
        }
    }
}
