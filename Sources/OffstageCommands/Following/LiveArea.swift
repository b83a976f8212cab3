// SPDX-License-Identifier: Apache-2.0

/// The last lines of a terminal, redrawn in place.
package final class LiveArea {
    /// The shortest time between two redraws, in seconds. Faster ones would be unreadable.
    package static let shortestInterval = 0.1

    private let output: Output
    private var height = 0

    package init(_ output: Output) {
        self.output = output
    }

    /// Whether there is a terminal to draw on.
    package var isLive: Bool { output.isDrawable }

    /// Replaces the lines shown.
    package func show(_ lines: [String]) {
        guard isLive else { return }
        output.write(erasing + lines.map { Output.fit($0) + "\n" }.joined())
        height = lines.count
    }

    /// Erases the lines, so that permanent ones can be printed in their place.
    package func clear() {
        guard isLive, height > 0 else { return }
        output.write(erasing)
        height = 0
    }

    /// Erases the whole screen and starts again at its top, as a change of size may have moved earlier lines anywhere.
    package func restart() {
        guard isLive else { return }
        output.write("\u{1B}[H\u{1B}[J")
        height = 0
    }

    /// The sequence that moves to the first line, then erases to the end of the screen.
    private var erasing: String { height > 0 ? "\u{1B}[\(height)A\r\u{1B}[J" : "" }

    /// Whether the locale can show block letters.
    package static func usesBlocks(_ environment: [String: String]) -> Bool {
        let locale =
            [environment["LC_ALL"], environment["LC_CTYPE"], environment["LANG"]]
            .compactMap { $0 }.first { !$0.isEmpty } ?? ""
        return locale.lowercased().contains("utf-8") || locale.lowercased().contains("utf8")
    }
}
