// SPDX-License-Identifier: Apache-2.0
package import OffstagePictures

/// The characters of a timeline in a terminal. Each look has its own, so none depends on colour.
package struct TimelineGlyphs: Sendable {
    let isUnicode: Bool

    package init(isUnicode: Bool) { self.isUnicode = isUnicode }

    /// Whether the environment's locale uses UTF-8.
    package static func isUnicode(_ environment: [String: String]) -> Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        let name = (locale ?? "").lowercased()
        return name.hasSuffix("utf-8") || name.hasSuffix("utf8") || name.contains("utf-8@") || name.contains("utf8@")
    }

    package func glyph(_ look: TimelineLook) -> Character {
        switch look {
        case .succeeded: isUnicode ? "█" : "#"
        case .broken: isUnicode ? "▒" : "%"
        case .failed: isUnicode ? "✗" : "X"
        case .expired: isUnicode ? "▚" : "!"
        case .paused: isUnicode ? "‖" : "="
        case .cancelled: isUnicode ? "╌" : "~"
        case .underWay: isUnicode ? "▓" : "+"
        case .foreground: isUnicode ? "▇" : "F"
        case .background: isUnicode ? "▄" : "b"
        case .suspended: isUnicode ? "▁" : "z"
        case .online: isUnicode ? "━" : "-"
        case .metered: isUnicode ? "┅" : "$"
        case .offline: isUnicode ? "╳" : "x"
        case .mains: isUnicode ? "═" : ":"
        case .battery: isUnicode ? "▂" : "u"
        case .daemon: isUnicode ? "─" : "."
        case .limited: isUnicode ? "░" : "l"
        case .held: isUnicode ? "▞" : "h"
        }
    }

    package func glyph(_ mark: TimelineMark.Look) -> Character {
        switch mark {
        case .retry: isUnicode ? "↻" : "r"
        case .begin: isUnicode ? "▷" : ">"
        case .look: "?"
        case .run: isUnicode ? "◇" : "o"
        }
    }

    static func style(_ look: TimelineLook) -> Style? {
        switch look {
        case .succeeded, .foreground, .online: .good
        case .failed, .offline: .bad
        case .broken, .expired, .paused, .metered, .battery, .limited, .held: .caution
        case .underWay: .strong
        case .cancelled, .suspended, .daemon: .faint
        case .background, .mains: nil
        }
    }

    var now: Character { isUnicode ? "│" : "|" }
    var ruler: Character { isUnicode ? "─" : "-" }
    var tick: Character { isUnicode ? "┬" : "+" }
    var present: Character { isUnicode ? "▼" : "V" }

    /// Converts our own characters in the text to those of the locale.
    func fit(_ text: String) -> String {
        guard !isUnicode else { return text }
        return text.replacing("…", with: "..").replacing("×", with: "x").replacing("→", with: "->")
            .replacing("←", with: "<-")
    }
}
