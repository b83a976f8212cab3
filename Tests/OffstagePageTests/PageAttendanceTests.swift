// SPDX-License-Identifier: Apache-2.0
import OffstagePage
import Testing

@Suite struct PageAttendanceTests {
    @Test func `it is over when nobody has looked for ten minutes`() {
        var attendance = PageAttendance(now: 100)
        #expect(!attendance.isOver(now: 699))
        #expect(attendance.isOver(now: 700))
        attendance.visited(now: 650)
        #expect(!attendance.isOver(now: 700))
        #expect(attendance.end == 1250)
    }

    @Test func `a page that is told what happens counts as long as it is there, and ten minutes more`() {
        var attendance = PageAttendance(now: 0, patience: 600)
        attendance.watching(2, now: 10)
        #expect(attendance.end == nil)
        #expect(!attendance.isOver(now: 1_000_000))
        attendance.watching(1, now: 5000)
        #expect(attendance.end == nil)
        attendance.watching(0, now: 6000)
        #expect(attendance.end == 6600)
        attendance.watching(0, now: 7000)
        #expect(attendance.isOver(now: 6600))
    }

    @Test func `an earlier time never shortens it`() {
        var attendance = PageAttendance(now: 100)
        attendance.visited(now: 50)
        #expect(attendance.end == 700)
    }
}
