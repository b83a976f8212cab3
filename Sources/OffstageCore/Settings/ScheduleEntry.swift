// SPDX-License-Identifier: Apache-2.0

/// One entry of the settings' `schedule`: the rule for transfers during part of the day.
package struct ScheduleEntry: Sendable, Equatable, Codable {
    /// Minutes since midnight, in local time.
    package var from: Int
    /// Minutes since midnight, up to 1440; not above `from` if it ends on the next day.
    package var to: Int
    /// The days on which it begins, 1 for Sunday as in `CivilDay`; nil for every day.
    package var days: Set<Int>?
    /// Bytes per second for all transfers together; nil for no limit.
    package var rateLimit: Int64?
    /// Whether transfers may run at all.
    package var transfers: Bool

    package init(from: Int, to: Int, days: Set<Int>? = nil, rateLimit: Int64? = nil, transfers: Bool = true) {
        self.from = from
        self.to = to
        self.days = days
        self.rateLimit = rateLimit
        self.transfers = transfers
    }

    /// The keys that an entry may have.
    package static var keys: [String] { CodingKeys.allCases.map(\.rawValue) }

    private enum CodingKeys: String, CodingKey, CaseIterable { case from, to, days, rateLimit, transfers }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseUnknownKeys(CodingKeys.self)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func refuse(_ key: CodingKeys, _ text: String) -> DecodingError {
            .dataCorruptedError(forKey: key, in: container, debugDescription: text)
        }
        func minutes(_ key: CodingKeys, upTo last: Int) throws -> Int {
            guard let minutes = Self.minutes(try container.decode(String.self, forKey: key)), minutes <= last else {
                throw refuse(key, "it must be a time of day such as 08:00")
            }
            return minutes
        }
        from = try minutes(.from, upTo: Self.minutesOfDay - 1)
        to = try minutes(.to, upTo: Self.minutesOfDay)
        guard from != to else { throw refuse(.to, "it must not be the same as 'from': a whole day is 00:00 to 24:00") }
        if let text = try container.decodeIfPresent(String.self, forKey: .days) {
            guard let days = Self.days(text) else { throw refuse(.days, "it must be days such as mon-fri or sat,sun") }
            self.days = days
        }
        rateLimit = try container.decodeIfPresent(Int64.self, forKey: .rateLimit)
        guard rateLimit.map({ $0 > 0 }) ?? true else {
            throw refuse(.rateLimit, "it must be above 0; \"transfers\": false lets no transfers run")
        }
        transfers = try container.decodeIfPresent(Bool.self, forKey: .transfers) ?? true
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.text(from), forKey: .from)
        try container.encode(Self.text(to), forKey: .to)
        let days = self.days?.sorted().compactMap { Self.names.indices.contains($0 - 1) ? Self.names[$0 - 1] : nil }
        try container.encodeIfPresent(days?.joined(separator: ","), forKey: .days)
        try container.encodeIfPresent(rateLimit, forKey: .rateLimit)
        if !transfers { try container.encode(transfers, forKey: .transfers) }
    }

    private static let minutesOfDay = 1440
    private static let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

    private static func text(_ minutes: Int) -> String {
        [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// `08:00` up to `24:00`.
    private static func minutes(_ text: String) -> Int? {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
            parts.allSatisfy({ $0.allSatisfy { (48...57).contains($0) } }),
            let hours = Int(String(decoding: parts[0], as: UTF8.self)),
            let minutes = Int(String(decoding: parts[1], as: UTF8.self)), minutes < 60
        else { return nil }
        // checked: two digits each
        return hours * 60 + minutes
    }

    /// `mon-fri`, `sat,sun`, `fri-mon`.
    private static func days(_ text: String) -> Set<Int>? {
        var days: Set<Int> = []
        for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { word in
                names.firstIndex(of: String(word.drop { $0 == " " }))
            }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else { return nil }
            var day = first
            days.insert(day + 1)
            while day != last {
                day = (day + 1) % names.count
                days.insert(day + 1)
            }
        }
        return days
    }
}
