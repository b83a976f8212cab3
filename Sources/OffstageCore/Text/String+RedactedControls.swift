// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text made safe for a message, a log or a terminal: characters that move a cursor, change the direction of
    /// writing, or are invisible are replaced with U+FFFD.
    ///
    /// These are control characters (C0, DEL, C1), formatting characters (bidi, tags, interlinear annotations, the soft
    /// hyphen, zero width), separators of lines and paragraphs, Unicode's default ignorable characters, and all marks
    /// beyond the eighth on one letter. A joiner within an emoji and an emoji's variation selector stay.
    package var redactedControls: String {
        if utf8.allSatisfy({ (32..<127).contains($0) }) { return self }
        var result = String.UnicodeScalarView()
        var marks = 0
        var previous: Unicode.Scalar?
        var scalars = unicodeScalars.makeIterator()
        var next = scalars.next()
        while let scalar = next {
            next = scalars.next()
            let isMark = scalar.isPiledMark
            marks = isMark ? marks + 1 : 0
            let isKept =
                scalar.value < 127 && scalar.value >= 32 || scalar.isVariation(after: previous)
                || scalar.joins(previous, next) || !scalar.isUnfitForTerminals
            if marks == Self.mostMarks + 1 || !isMark && !isKept {
                result.append("\u{FFFD}")
            } else if marks <= Self.mostMarks {
                result.append(isKept ? scalar : "\u{FFFD}")
            }
            previous = scalar
        }
        return String(result)
    }

    /// More than any script needs on one letter.
    package static let mostMarks = 8
}

extension Unicode.Scalar {
    /// Whether it could mislead a terminal or a person.
    package var isUnfitForTerminals: Bool {
        if value < 127 { return value < 32 }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return true
        default: return properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint
        }
    }

    /// Whether it combines with the preceding letter.
    package var isPiledMark: Bool {
        guard value >= 0x300 else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return !properties.isDefaultIgnorableCodePoint
        default: return false
        }
    }

    /// U+FE0E and U+FE0F select text or emoji presentation of a sign; after anything else they hide something.
    fileprivate func isVariation(after previous: Unicode.Scalar?) -> Bool {
        (value == 0xFE0E || value == 0xFE0F) && previous?.properties.isEmoji == true
    }

    /// U+200D joins several emoji into one.
    fileprivate func joins(_ previous: Unicode.Scalar?, _ next: Unicode.Scalar?) -> Bool {
        guard value == 0x200D, let previous, let next else { return false }
        let isPicture = previous.value > 0x2000 && previous.properties.isEmoji || previous.value == 0xFE0F
        return (isPicture || previous.properties.isEmojiModifier) && next.value > 0x2000 && next.properties.isEmoji
    }
}
