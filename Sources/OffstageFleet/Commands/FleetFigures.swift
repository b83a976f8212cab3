// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCommands
import OffstageCore
import OffstageProtocol

extension FleetMetricsCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let families = try families(context.open(), now: context.command.now())
        if context.command.printsJSON {
            context.output.print(try JSONText.of(["metrics": families]))
        } else {
            context.output.write(OpenMetricsText.of(families))
        }
        return .success
    }

    private func families(_ database: DatabaseClient, now: Date) throws -> [MetricFamily] {
        var oldest = MetricFamily(
            "offstage_fleet_oldest_wait_seconds",
            .gauge,
            unit: "seconds",
            "How long the first row of a line has waited for a member; 0 if none waits."
        )
        oldest.add(try database.oldestWait())
        var schema = MetricFamily("offstage_fleet_schema_version", .gauge, "The version of the database's schema.")
        schema.add(Double(try SchemaState(database).version))
        let counts = try database.counts()
        return [Self.rows(counts, try database.totals())] + Self.members(try ListedMember.all(database))
            + Self.limits(try FleetLimitCommand.Limit.all(database))
            + [Self.pauses(try FleetQueuesCommand.Queue.all(database, counts)), oldest, schema]
    }

    /// The most queues, and servers, that are named individually, as submitters can create any number of queues.
    private static let mostNames = 1000
    private static let mostMembers = 10_000
    /// No queue can have this name.
    private static let others = "(others)"

    private static func rows(_ counts: [FleetCount], _ totals: [FleetStanding.State: Int64]) -> MetricFamily {
        var family = MetricFamily("offstage_fleet_rows", .gauge, "Rows on record, by queue and state.")
        var sizes: [String: Int64] = [:]
        for count in counts { sizes[count.queue] = (sizes[count.queue] ?? 0).addingClamped(count.rows) }
        let largest = sizes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(mostNames)
        let named = Set(largest.map(\.key))
        var sums: [String: [FleetStanding.State: Int64]] = [:]
        for count in counts where named.contains(count.queue) {
            let sum = sums[count.queue]?[count.state] ?? 0
            sums[count.queue, default: [:]][count.state] = sum.addingClamped(count.rows)
        }
        // Computed only if queues were left out. The two queries run at different moments, so rows that arrived in
        // between would otherwise count for other queues.
        if sizes.count > mostNames || counts.count >= DatabaseClient.mostCounts {
            let shown = FleetCount.byState(counts.filter { named.contains($0.queue) })
            let left = totals.map { ($0.key, $0.value.subtractingClamped(shown[$0.key] ?? 0)) }.filter { $0.1 > 0 }
            if !left.isEmpty { sums[others] = Dictionary(uniqueKeysWithValues: left) }
        }
        for (queue, states) in sums.sorted(by: { $0.key < $1.key }) {
            for (state, rows) in states.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                family.add(Double(rows), [.init("queue", queue), .init("state", state.word)])
            }
        }
        return family
    }

    private static func members(_ all: [ListedMember]) -> [MetricFamily] {
        var members = MetricFamily("offstage_fleet_members", .gauge, "Members, by state.")
        var held = MetricFamily("offstage_fleet_member_rows", .gauge, "Rows that a member holds, as it last said.")
        var seen = MetricFamily(
            "offstage_fleet_member_seen_seconds",
            .gauge,
            unit: "seconds",
            "When a member was last seen, since 1970."
        )
        for state in ["active", "silent", "draining", "drained", "left"] {
            let count = all.count { $0.isSilent && $0.state == "active" ? state == "silent" : $0.state == state }
            members.add(Double(count), [.init("state", state)])
        }
        let present = all.filter { $0.state != "left" }
        var latest = present
        if present.count > mostMembers {
            latest.sort { ($0.seenAt ?? .distantPast) > ($1.seenAt ?? .distantPast) }
            latest = Array(latest.prefix(mostMembers))
        }
        for member in latest {
            held.add(Double(member.held), [.init("member", member.name)])
            if let at = member.seenAt { seen.add(at.timeIntervalSince1970, [.init("member", member.name)]) }
        }
        return [members, held, seen]
    }

    private static func limits(_ all: [FleetLimitCommand.Limit]) -> [MetricFamily] {
        var most = MetricFamily(
            "offstage_fleet_host_limit",
            .gauge,
            "Most transfers with a server, where it has a limit."
        )
        var running = MetricFamily("offstage_fleet_host_running", .gauge, "Transfers that count against that limit.")
        for limit in all.prefix(mostNames) {
            most.add(Double(limit.most), [.init("host", limit.host)])
            running.add(Double(limit.running), [.init("host", limit.host)])
        }
        return [most, running]
    }

    private static func pauses(_ queues: [FleetQueuesCommand.Queue]) -> MetricFamily {
        var family = MetricFamily("offstage_fleet_queue_paused", .gauge, "1 while a queue is paused.")
        // Queues paused by the user are always shown.
        let shown = queues.filter { $0.pausedAt != nil } + queues.filter { $0.pausedAt == nil }
        for queue in shown.prefix(mostNames) {
            family.add(queue.pausedAt == nil ? 0 : 1, [.init("queue", queue.name)])
        }
        return family
    }
}
