// SPDX-License-Identifier: Apache-2.0

/// Divides one bandwidth limit between the attempts that run: equally, and what one cannot use goes to the others.
package enum BandwidthShares {
    /// - Parameters:
    ///   - limit: bytes a second for all together; nil for no limit.
    ///   - caps: each attempt's own limit; nil for none.
    /// - Returns: bytes a second for each, in the same order; nil for no limit.
    package static func divide(_ limit: Int64?, caps: [Int64?]) -> [Int64?] {
        guard let limit else { return caps }
        var shares = [Int64?](repeating: nil, count: caps.count)
        // A limit of nothing would never end.
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
}
