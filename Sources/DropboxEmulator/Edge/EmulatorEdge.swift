// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// The state that all connections share: the emulated Dropbox behind a lock, the folder, the clock. Thread-safe.
final class EmulatorEdge: Sendable {
    struct State: Sendable {
        var dropbox: EmulatedDropbox
        /// Seconds that the emulator's clock is ahead of the machine's.
        var lead: Double = 0
    }

    private let state: Mutex<State>
    /// Nil where bytes are hashed and discarded.
    let folder: SegmentFolder?
    let stopSignal: StopSignal
    let onRequest: (@Sendable (EmulatorRequest) -> Void)?

    init(
        _ dropbox: EmulatedDropbox,
        folder: SegmentFolder?,
        onRequest: (@Sendable (EmulatorRequest) -> Void)? = nil
    ) throws(DropboxEmulatorError) {
        self.onRequest = onRequest
        state = Mutex(State(dropbox: dropbox))
        self.folder = folder
        stopSignal = try StopSignal()
    }

    /// Changes the state, with the emulator's time in seconds since 1970.
    func with<Result: Sendable>(_ body: @Sendable (inout State, Double) -> Result) -> Result {
        state.withLock { state in
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return body(&state, Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 + state.lead)
        }
    }

    /// Forgets everything but the rules, and removes the stored bytes.
    func reset() {
        let segments = with { state, _ in
            state.lead = 0
            return state.dropbox.reset()
        }
        folder?.remove(segments)
    }
}
