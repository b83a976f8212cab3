// SPDX-License-Identifier: Apache-2.0

/// The limits of one page process.
package enum PageBounds {
    package static let connections: UInt32 = 48
    /// Bytes of a connection's buffers; a request's head must fit.
    package static let connectionMemory = 32 << 10
    /// Seconds that a connection may be silent.
    package static let silence: UInt32 = 30
    /// Bytes of a request's body.
    package static let body = 64 << 10
    /// Concurrent requests to the daemon.
    package static let questions = 32
    /// Seconds within which the daemon must answer.
    package static let patience = 30.0
    /// Seconds that connecting to a running daemon may take; no request is served meanwhile.
    package static let reach = 0.5
    /// Pages that receive updates.
    package static let streams = 12
    /// Bytes that a page may be behind before it must start over.
    package static let backlog = 1 << 20
    /// Transfers in one answer.
    package static let rows = 200
    /// Rows of a fleet in one answer.
    package static let fleetRows = 100
    /// Programs that query a fleet at once.
    package static let fleetRuns = 6
    /// Seconds within which such a program must answer, and the most bytes of its answer.
    package static let fleetPatience = 20.0
    package static let fleetAnswer = 4 << 20
    /// How far a timeline may go back, in seconds.
    package static let period = 60...366 * 86_400
}
