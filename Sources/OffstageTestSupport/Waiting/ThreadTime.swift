// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The processor time of the calling thread, for tests that judge work by its time. Other programs and slow disks
/// lengthen wall-clock time, but not this.
public enum ThreadTime {
    /// The processor time that `body` takes on this thread.
    public static func measure<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Duration {
        let before = spent
        try body()
        return spent - before
    }

    /// The thread's processor time since it started.
    private static var spent: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
