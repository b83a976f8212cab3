// SPDX-License-Identifier: Apache-2.0

/// How a truth value is written in a message.
public enum OSLogBoolFormat: Sendable {
    /// `true` or `false`.
    case truth
    /// `YES` or `NO`.
    case answer
}
