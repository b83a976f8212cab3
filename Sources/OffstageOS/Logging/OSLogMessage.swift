// SPDX-License-Identifier: Apache-2.0

/// A message to log: a string literal with values in it (`"\(name, privacy: .public) took \(seconds)"`).
///
/// It is created only if the entry is kept, on the thread that logs.
public struct OSLogMessage: ExpressibleByStringInterpolation {
    /// The message in the form that anyone may read.
    package let text: String

    /// - Parameter value: a string literal without values.
    public init(stringLiteral value: String) { text = value }

    /// - Parameter stringInterpolation: the parts of a string literal with values.
    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}
