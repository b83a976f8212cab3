// SPDX-License-Identifier: Apache-2.0

/// What one page process takes on at most.
package enum PageBounds {
    package static let connections: UInt32 = 48
    /// Bytes of a connection's buffers; a request's head has to fit.
    package static let connectionMemory = 32 << 10
    /// Seconds that a connection may be silent.
    package static let silence: UInt32 = 30
    /// Bytes of a request's body.
    package static let body = 64 << 10
    /// Requests to the daemon that are under way at once.
    package static let questions = 32
    /// Seconds that the daemon has for an answer.
    package static let patience = 30.0
    /// Seconds that reaching a daemon may take that runs: nobody is served meanwhile.
    package static let reach = 0.5
    /// Pages that are told what happens.
    package static let streams = 12
    /// Bytes that a page may be behind before it has to begin anew.
    package static let backlog = 1 << 20
    /// Transfers in one answer.
    package static let rows = 200
    /// Rows of a fleet in one answer.
    package static let fleetRows = 100
    /// Programs that ask a fleet at once.
    package static let fleetRuns = 6
    /// Seconds that one has for its answer, and the most bytes of that.
    package static let fleetPatience = 20.0
    package static let fleetAnswer = 4 << 20
    /// Seconds that a timeline may go back.
    package static let period = 60...366 * 86_400
}
