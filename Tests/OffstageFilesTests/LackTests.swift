// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageFiles
import Testing

@Suite struct LackTests {
    private func tries(failing code: Int32, times: Int) -> (value: Int?, tries: Int, pauses: [Int32]) {
        var (count, pauses) = (0, [Int32]())
        let value = Lack.waitedOut(pause: { pauses.append($0) }) { () -> Int? in
            count += 1
            if count > times { return 7 }
            errno = code
            return nil
        }
        return (value, count, pauses)
    }

    @Test(arguments: [EMFILE, ENFILE, ENOMEM, EINTR, ENOLCK])
    func `what other work gives back is waited for`(code: Int32) {
        let found = tries(failing: code, times: 3)
        #expect(found.value == 7)
        #expect(found.tries == 4)
        #expect(found.pauses == [10, 20, 40])
    }

    @Test(arguments: [ENOENT, EACCES, EIO, 0])
    func `what stays is not waited for`(code: Int32) {
        let found = tries(failing: code, times: 3)
        #expect(found.value == nil)
        #expect(found.tries == 1)
    }

    @Test func `nobody waits for ever`() {
        let found = tries(failing: EMFILE, times: .max)
        #expect(found.value == nil)
        #expect(found.tries == 7)
        #expect(found.pauses.reduce(0, +) == 630)
    }
}
