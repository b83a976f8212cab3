// SPDX-License-Identifier: Apache-2.0

/// The expected outcome of every event in every situation, judged by hand against Apple's documents. A source that is a
/// path is relative to <https://developer.apple.com/documentation/>. Where Apple is silent or has no counterpart, the
/// decision is ours, and the source says so.
enum LifeTable {
    /// One event, with the next state and the actions for every situation: lines of `situations: state | actions`,
    /// with `stays` for a state that does not change, and `nothing` where nothing happens at all.
    struct Row {
        var event: String
        var source: String
        var cells: [LifeSituation: String]
        /// Words that name no situation, or name one twice.
        var mistakes: [String] = []

        init(_ event: String, source: String, _ lines: String) {
            self.event = event
            self.source = source
            cells = [:]
            for line in lines.split(separator: "\n") {
                let parts = line.split(separator: ":", maxSplits: 1)
                for name in parts[0].split(separator: ",") {
                    let word = name.drop { $0 == " " }
                    guard let situation = LifeSituation(rawValue: String(word)), cells[situation] == nil,
                        parts.count == 2
                    else {
                        mistakes.append(String(word))
                        continue
                    }
                    cells[situation] = String(parts[1].drop { $0 == " " })
                }
            }
        }
    }

    static var rows: [Row] { requests + deferredTasks + process + reports + time }
}
