// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import Testing

@Suite struct LinkBackoffTests {
    /// A try that fails so many seconds after the first, the failure, and the effect.
    struct Row: Sendable, CustomTestStringConvertible {
        var at: Double
        var code: OffstageError.Code
        var pause: Double
        var isTold: Bool

        init(_ at: Double, _ code: OffstageError.Code, _ pause: Double, told isTold: Bool) {
            (self.at, self.code, self.pause, self.isTold) = (at, code, pause, isTold)
        }

        var testDescription: String { "\(at) s" }
    }

    private static let tables: [[Row]] = [
        // A daemon that was killed: no caller is notified for three seconds.
        [
            Row(0, .connectionLost, 0.01, told: false),
            Row(0.01, .connectionLost, 0.02, told: false),
            Row(0.03, .shuttingDown, 0.04, told: false),
            Row(0.07, .daemonDidNotStart, 0.08, told: false),
            Row(0.15, .connectionLost, 0.16, told: false),
            Row(0.31, .connectionLost, 0.25, told: false),
            Row(2.9, .connectionLost, 0.25, told: false),
            Row(3, .connectionLost, 0.5, told: true),
            Row(4, .connectionLost, 1, told: true),
        ],
        // A daemon that is not installed: callers are notified at once, and tries become rare.
        [
            Row(0, .daemonNotFound, 0.01, told: true),
            Row(1, .daemonNotFound, 0.02, told: true),
            Row(4, .daemonNotFound, 0.04, told: true),
            Row(5, .daemonNotFound, 0.08, told: true),
            Row(6, .daemonNotFound, 0.16, told: true),
            Row(7, .daemonNotFound, 0.32, told: true),
            Row(8, .daemonNotFound, 0.64, told: true),
            Row(9, .daemonNotFound, 1.28, told: true),
            Row(10, .daemonNotFound, 2.56, told: true),
            Row(13, .daemonNotFound, 5.12, told: true),
            Row(18, .daemonNotFound, 10.24, told: true),
            Row(29, .daemonNotFound, 20.48, told: true),
            Row(50, .daemonNotFound, 30, told: true),
            Row(80, .daemonNotFound, 30, told: true),
        ],
        // A temporary failure turns into a permanent one.
        [
            Row(0, .connectionLost, 0.01, told: false),
            Row(0.01, .untrusted, 0.02, told: true),
            Row(0.03, .connectionLost, 0.04, told: false),
            Row(0.07, .incompatible, 0.08, told: true),
            Row(0.15, .timedOut, 0.16, told: true),
            Row(0.31, .daemonSilent, 0.25, told: true),
            Row(0.56, .daemonUnreachable, 0.25, told: true),
            Row(0.81, .tooManyConnections, 0.25, told: true),
        ],
    ]

    @Test(arguments: tables) func `tries follow one another as the table says`(_ rows: [Row]) {
        var backoff = LinkBackoff()
        for row in rows {
            let verdict = backoff.failed(row.code, now: 1000 + row.at)
            #expect(abs(verdict.pause - row.pause) < 1e-9, "\(row)")
            #expect(verdict.isTold == row.isTold, "\(row)")
        }
    }

    @Test(arguments: tables) func `after a success everything begins anew`(_ rows: [Row]) {
        var backoff = LinkBackoff()
        for row in rows { _ = backoff.failed(row.code, now: row.at) }
        backoff.succeeded()
        #expect(backoff == LinkBackoff())
        let verdict = backoff.failed(.connectionLost, now: 500)
        #expect(verdict.pause == 0.01)
        #expect(!verdict.isTold)
    }
}
