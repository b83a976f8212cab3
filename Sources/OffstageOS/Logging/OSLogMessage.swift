// SPDX-License-Identifier: Apache-2.0

/// What is logged: a text in the program's source, with values in it (`"\(name, privacy: .public) took \(seconds)"`).
///
/// It is made only when an entry is kept, and on the thread that logs.
public struct OSLogMessage: ExpressibleByStringInterpolation {
    /// The message as everybody may read it.
    package let text: String

    /// - Parameter value: a text without values.
    public init(stringLiteral value: String) { text = value }

    /// - Parameter stringInterpolation: what the compiler has made of a text with values.
    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}
