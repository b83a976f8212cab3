// SPDX-License-Identifier: Apache-2.0

/// The format of a Boolean value in a message.
public enum OSLogBoolFormat: Sendable {
    /// `true` or `false`.
    case truth
    /// `YES` or `NO`.
    case answer
}
