// SPDX-License-Identifier: Apache-2.0

extension FleetStanding {
    /// The row's reason, as one sentence without a full stop.
    package var sentence: String {
        switch state {
        case .waiting: waiting
        case .leased: "under way at \(member?.description ?? "a member")"
        case .later: "waits for its time" + after(detail)
        case .paused: "paused"
        case .done: "done"
        case .failed: "failed" + after(detail)
        case .cancelled: "cancelled"
        case .unknown: "nobody knows whether the file has arrived" + after(detail)
        }
    }

    /// Advice for a person, as a sentence.
    ///
    /// - Parameter id: the row's number.
    /// - Returns: the sentence, with its full stop.
    package func advice(for id: Int64) -> String {
        switch state {
        case .waiting where isQueuePaused: "'offstage fleet resume --queue \(queue)' lets it go on."
        case .waiting where hostIsFull: "'offstage fleet limit \(host) N' changes the limit."
        case .waiting:
            crowds.contains(where: \.takesRows)
                ? "Nothing needs doing." : "Let a member join, or take rows again: 'offstage fleet drain NAME --undo'."
        case .leased, .later, .done: "Nothing needs doing."
        case .paused: "'offstage fleet resume \(id)' lets it go on."
        case .failed, .cancelled: "'offstage fleet retry \(id)' tries it again."
        case .unknown:
            "Look for the file where it should be: 'offstage fleet settle \(id)' if it is there, 'offstage fleet retry \(id)' if not."
        }
    }

    private var hostIsFull: Bool { hostLimit.map { hostRunning >= $0 } ?? false }

    private func after(_ text: FleetText?) -> String { text.map { ": \($0)" } ?? "" }

    private var waiting: String {
        if isQueuePaused { return "its queue '\(queue)' is paused" }
        if let hostLimit, hostIsFull {
            return "\(hostRunning) transfers with \(host) run in the fleet, the limit is \(hostLimit)"
        }
        guard !crowds.contains(where: \.takesRows) else { return inLine }
        let wanted = requires.texts.isEmpty ? "a member" : "a member with \(Self.labels(requires.texts))"
        guard let reason = absence else { return "waits for \(wanted); the fleet has none" }
        return "waits for \(wanted); \(reason)"
    }

    private var inLine: String {
        let free = crowds.contains { $0.takesRows && $0.hasRoom }
        let place =
            switch ahead {
            case 0: "next in line"
            case Self.mostCounted...: "in line behind \(Self.mostCounted) others or more"
            default: "in line behind \(ahead) other\(ahead == 1 ? "" : "s")"
            }
        return free ? place : place + "; the members that may take it are busy"
    }

    /// Why no member takes it: what became of the members with its labels, or which labels the nearest members lack.
    private var absence: String? {
        let fitting = crowds.filter { $0.lacking.isEmpty && $0.standing != .left }
        let silent = Self.sum(fitting.filter(\.isSilent))
        let draining = Self.sum(fitting.filter { !$0.isSilent && $0.standing == .draining })
        let drained = Self.sum(fitting.filter { !$0.isSilent && $0.standing == .drained })
        let parts = [(drained, "drained"), (draining, "draining"), (silent, "silent")].filter { $0.0 > 0 }
        if !parts.isEmpty {
            return parts.map { "\(Self.number($0.0)) \($0.0 == 1 ? "is" : "are") \($0.1)" }.joined(separator: ", ")
        }
        let others = crowds.filter { $0.standing != .left && !$0.lacking.isEmpty }
        guard let nearest = others.min(by: { $0.lacking.count < $1.lacking.count }) else { return nil }
        let all = Self.sum(others)
        return
            "\(Self.number(all)) other\(all == 1 ? " lacks" : "s lack") \(Self.labels(nearest.lacking, joined: "or"))"
    }

    private static func sum(_ crowds: [Crowd]) -> Int { crowds.reduce(0) { $0.addingClamped($1.count) } }

    private static func labels(_ labels: [String], joined word: String = "and") -> String {
        let texts = labels.map { FleetText($0, longest: 130).description }
        let few = texts.prefix(3).joined(separator: ", ")
        let noun = texts.count == 1 ? "label" : "labels"
        if texts.count == 2 { return "\(noun) \(texts[0]) \(word) \(texts[1])" }
        return texts.count > 3 ? "\(noun) \(few) and others" : "\(noun) \(few)"
    }

    private static func number(_ count: Int) -> String {
        let words = [
            "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        ]
        return words.indices.contains(count) ? words[count] : String(count)  // checked: contained
    }
}
