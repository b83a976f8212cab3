// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// When a person is notified of transfers, and in which words: soon for a single one, and together, with a count, for
/// many in quick succession. Pure: time is a parameter, in seconds on the boot-time clock.
///
/// The rules:
/// 1. Completed transfers and transfers that need attention are reported separately.
/// 2. News is reported a second after it arrives, together with all other news that arrived meanwhile.
/// 3. While more news arrives, the existing notification is replaced by one for all of it, after 10 seconds at first,
///    and then after twice as long each time, up to 10 minutes. Once none has arrived for twice that time, the next
///    news gets its own notification.
/// 4. That a transfer waits for its account is reported once a day, since the transfer checks for the account again and
///    again. Its other needs are reported each time, but not twice in a minute.
package struct NewsBundles: Sendable {
    /// A notification to show.
    package struct Notice: Sendable, Equatable {
        /// It replaces the notification with the same key.
        package var key: String
        package var title: String
        package var body: String
    }

    private enum Topic: String, CaseIterable {
        case ends, problems
    }

    /// Seconds.
    package static let settling = 1.0
    package static let longestGap = 600.0
    fileprivate static let gaps = Backoff(first: 10, longest: longestGap)
    /// Seconds until the same need of the same transfer is reported again.
    package static let reminder = 60.0
    package static let accountReminder = 86_400.0
    /// The number of needs that are remembered.
    package static let mostNeeds = 4096
    /// The number of notifications left on the desktop for each topic.
    package static let mostLeft = 16

    private var bundles: [Topic: NewsBundle] = [:]
    private var needs: [TransferID: (need: Need, told: Double)] = [:]

    /// A kind of help.
    private enum Need { case credentials, account, setAside, predecessor }

    package init() {}

    /// When to check again; nil if there is nothing to report.
    package var nextLook: Double? { bundles.values.compactMap(\.due).min() }

    /// Adds news.
    ///
    /// - Parameters:
    ///   - news: the news.
    ///   - now: the time.
    package mutating func add(_ news: TransferNews, now: Double) {
        let topic: Topic
        switch news.event {
        case .completed, .leftOut:
            needs[news.id] = nil
            topic = .ends
        case .failed:
            needs[news.id] = nil
            topic = .problems
        case .needsPerson(let cause):
            guard isNew(Self.need(cause), of: news.id, now: now) else { return }
            topic = .problems
        }
        bundles[topic, default: NewsBundle()].add(news, now: now)
    }

    /// Removes and returns the notifications to show now.
    package mutating func removeDue(now: Double) -> [Notice] {
        Topic.allCases.compactMap { topic in
            guard let told = bundles[topic]?.removeDue(now: now) else { return nil }
            let key = "\(topic.rawValue)-\(told.number % Self.mostLeft)"
            return Notice(key: key, title: told.title, body: told.body)
        }
    }

    private mutating func isNew(_ need: Need, of id: TransferID, now: Double) -> Bool {
        let reminder = need == .account ? Self.accountReminder : Self.reminder
        if let known = needs[id], known.need == need, now - known.told < reminder { return false }
        if needs.count >= Self.mostNeeds { needs = [:] }
        needs[id] = (need, now)
        return true
    }

    private static func need(_ cause: Reason.Cause) -> Need {
        switch cause {
        case .credentials: .credentials
        case .predecessor: .predecessor
        case .setAside, .unreadable: .setAside
        default: .account
        }
    }
}

/// News that is reported together.
private struct NewsBundle: Sendable {
    /// The transfers to name.
    private var first: [TransferNews] = []
    private var completed = 0
    private var leftOut = 0
    private var failed = 0
    private var waiting = 0
    /// Counts the bundles.
    private var number = 0
    /// When it is reported next; nil if there is no news since the last report.
    private(set) var due: Double?
    /// When it was last reported, and the seconds until it may be reported again.
    private var told: (at: Double, gap: Double)?

    private static let mostNamed = 3

    mutating func add(_ news: TransferNews, now: Double) {
        if due == nil {
            if let told, now - told.at >= 2 * told.gap {
                self = NewsBundle(number: number + 1)
            }
            due = max(now + NewsBundles.settling, told.map { $0.at + $0.gap } ?? 0)
        }
        if first.count < Self.mostNamed { first.append(news) }
        switch news.event {
        case .completed: completed += 1
        case .leftOut: leftOut += 1
        case .failed: failed += 1
        case .needsPerson: waiting += 1
        }
    }

    mutating func removeDue(now: Double) -> (number: Int, title: String, body: String)? {
        guard let due, due <= now else { return nil }
        self.due = nil
        told = (now, NewsBundles.gaps.delay(following: told?.gap ?? 0))
        guard count > 1, let only = first.first else {
            return first.first.map { (number, $0.title, $0.body) }
        }
        let isProblem = only.isProblem
        return (number, title, names + (isProblem ? "\n'offstage list' and 'offstage why' tell you more." : ""))
    }

    private var count: Int { completed + leftOut + failed + waiting }

    private var title: String {
        var parts: [String] = []
        func add(_ count: Int, _ words: String) {
            guard count > 0 else { return }
            let subject = parts.isEmpty ? "\(count) transfer\(count == 1 ? "" : "s")" : "\(count)"
            parts.append("\(subject) \(words)")
        }
        add(completed, "completed")
        add(leftOut, leftOut == 1 ? "was there already" : "were there already")
        add(failed, "failed")
        add(waiting, waiting == 1 ? "waits for you" : "wait for you")
        return parts.joined(separator: ", ")
    }

    private var names: String {
        let names = first.map(\.shortName).joined(separator: ", ")
        let others = count - first.count
        return others > 0 ? "\(names) and \(others) other\(others == 1 ? "" : "s")" : names
    }
}

extension NewsBundle {
    fileprivate init(number: Int) { self.number = number }
}

/// The words for a single transfer.
extension TransferNews {
    fileprivate var isProblem: Bool {
        switch event {
        case .completed, .leftOut: false
        case .failed, .needsPerson: true
        }
    }

    /// A name short enough to leave room for others.
    fileprivate var shortName: String {
        let name = name.redactedControls
        return name.count > Self.longestName ? "\(name.prefix(Self.longestName))…" : name
    }

    private static let longestName = 60
    private static let longestText = 500

    fileprivate var title: String {
        switch event {
        case .completed: "\(isUpload ? "Uploaded" : "Downloaded") \(shortName)"
        case .leftOut: "\(shortName) was there already"
        case .failed: "\(shortName) was not \(isUpload ? "uploaded" : "downloaded")"
        case .needsPerson: "\(shortName) waits for you"
        }
    }

    fileprivate var body: String {
        let text: String
        switch event {
        case .completed, .leftOut: text = "\(isUpload ? "To" : "From") \(place)"
        case .failed(let failure): text = Self.sentences(.failed(failure), of: id)
        case .needsPerson(let cause): text = Self.sentences(cause, of: id)
        }
        return String(text.redactedControls.prefix(Self.longestText))
    }

    /// The answer of `why`: the reason, and what a person can do.
    private static func sentences(_ cause: Reason.Cause, of id: TransferID) -> String {
        let reason = Reason(cause: cause, since: .distantPast)
        let summary = reason.summary
        let first = summary.prefix(1).uppercased() + summary.dropFirst()
        let advice = reason.advice(for: id)
        return advice.isEmpty ? "\(first)." : "\(first). \(advice)"
    }
}
