// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageFiles
import OffstageTransfers
import Testing

/// The effect of a system call's error on a transfer.
@Suite struct FileTroubleTests {
    @Test(arguments: [EINTR, EAGAIN, EMFILE, ENFILE, ENOMEM, EBUSY, ESTALE, ETIMEDOUT])
    func `what this machine lacks for a moment passes`(code: Int32) {
        #expect(FileTrouble(code) == .passing)
    }

    @Test(arguments: [ENOENT, EACCES, EPERM, EROFS, ENOSPC, EDQUOT, EIO, EISDIR, ELOOP, ENAMETOOLONG, EFBIG])
    func `what a person can mend waits for one`(code: Int32) {
        #expect(FileTrouble(code) == .needsPerson)
    }

    @Test func `everything else stays`() {
        #expect(FileTrouble(EINVAL) == .final)
        #expect(FileTrouble(EBADF) == .final)
        #expect(FileTrouble(0) == .final)
    }
}
