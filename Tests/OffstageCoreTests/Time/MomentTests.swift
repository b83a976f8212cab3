// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct MomentTests {
    private let start = Fixture.moment(0)

    private func moment(wall: Double, boot: String, uptime: Double) -> Moment {
        Moment(wall: Fixture.start + wall, bootID: boot, uptime: uptime)
    }

    @Test(arguments: [-1e9, -3600, 0, 3600, 1e9])
    func `in one boot a jump of the wall clock changes no duration`(jump: Double) {
        #expect(moment(wall: 30 + jump, boot: "boot-1", uptime: 5030).seconds(since: start) == 30)
    }

    @Test func `in another boot the wall clock decides, whatever the boot clock says`() {
        #expect(moment(wall: 30, boot: "boot-2", uptime: 3).seconds(since: start) == 30)
        #expect(moment(wall: 30, boot: "boot-2", uptime: 99_999).seconds(since: start) == 30)
    }

    @Test func `a clock that went backwards counts no time`() {
        #expect(moment(wall: -30, boot: "boot-2", uptime: 3).seconds(since: start) == 0)
        #expect(moment(wall: 0, boot: "boot-1", uptime: 4000).seconds(since: start) == 0)
    }

    @Test func `a deadline is due when its delay has passed, not before`() {
        let deadline = Deadline(setAt: start, delay: 10)
        #expect(!deadline.isDue(at: Fixture.moment(9.999)))
        #expect(deadline.isDue(at: Fixture.moment(10)))
        #expect(deadline.remaining(at: Fixture.moment(4)) == 6)
        #expect(deadline.remaining(at: Fixture.moment(400)) == 0)
        #expect(deadline.date(at: Fixture.moment(4)) == Fixture.start + 10)
    }

    @Test func `no clock makes a wait longer than it was meant`() {
        let deadline = Deadline(setAt: start, delay: 10)
        #expect(deadline.remaining(at: moment(wall: -1e9, boot: "boot-1", uptime: 4999)) == 10)
        #expect(deadline.remaining(at: moment(wall: -1e9, boot: "boot-2", uptime: 0)) == 10)
    }

    @Test func `what was set by a clock that ran ahead, in the same boot, is not waited for`() {
        let deadline = Deadline(setAt: Fixture.moment(7 * 86_400), delay: 3600)
        #expect(deadline.remaining(at: Fixture.moment(0)) == 0)
        #expect(deadline.isDue(at: Fixture.moment(6 * 86_400)))
        #expect(deadline.remaining(at: Fixture.moment(7 * 86_400 + 600)) == 3000)
        var backoff = LaunchBackoff()
        backoff.crashed(at: Fixture.moment(7 * 86_400))
        #expect(backoff.pause(at: Fixture.moment(0), isStrict: false) == 0)
    }

    @Test func `a wait goes on across a reboot, counted on the wall clock`() {
        let deadline = Deadline(setAt: start, delay: 100)
        #expect(deadline.remaining(at: moment(wall: 40, boot: "boot-2", uptime: 1)) == 60)
        #expect(deadline.isDue(at: moment(wall: 100, boot: "boot-2", uptime: 1)))
    }

    @Test func `a deadline shown to people follows the wall clock as it is now`() {
        let deadline = Deadline(setAt: start, delay: 100)
        let now = moment(wall: 7200 + 40, boot: "boot-1", uptime: 5040)
        #expect(deadline.date(at: now) == Fixture.start + 7200 + 100)
    }

    @Test func `a negative delay is none`() {
        #expect(Deadline(setAt: start, delay: -5).isDue(at: start))
        #expect(Deadline(setAt: start, delay: -5).delay == 0)
    }
}
