// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageFiles
import Testing

/// Which file system a path leads to.
@Suite struct MountListTests {
    private let list = MountList(
        mountinfo: Array(
            """
            22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
            26 22 0:23 / /dev/shm rw,nosuid shared:3 - tmpfs tmpfs rw
            50 22 0:44 / /mnt/with\\040space rw - nfs4 server:/a rw
            51 22 0:45 / /mnt/nfs rw - nfs4 server:/b rw
            52 51 8:17 / /mnt/nfs/stick rw - vfat /dev/sdb1 rw

            """.utf8
        )
    )

    private func device(_ major: UInt32, _ minor: UInt32) -> MountList.Device { .init(major: major, minor: minor) }

    @Test(
        arguments: [
            ("/home/me/file", 254, 1), ("/", 254, 1), ("/mnt/nfs2/file", 254, 1), ("/dev/shm/x", 0, 23),
            ("/dev/shm", 0, 23),
            ("/mnt/with space/x", 0, 44), ("/mnt/nfs/a/b/c", 0, 45), ("/mnt/nfs/stick/x", 8, 17), ("", 254, 1),
            ("/home/me/../../mnt/./nfs//stick/x", 8, 17), ("/mnt/nfs/../nfs2", 254, 1), ("/../../mnt/nfs", 0, 45),
            ("/mnt/nfs/stick/..", 0, 45), ("//mnt//nfs//", 0, 45),
        ] as [(String, UInt32, UInt32)]
    )
    func `the longest mount point on the way decides`(path: String, major: UInt32, minor: UInt32) {
        #expect(list.device(of: path) == device(major, minor))
    }

    @Test func `a path that no system call takes costs no more than one that it takes`() {
        let slashes = String(repeating: "/", count: 4 << 20)
        #expect(list.device(of: slashes + "mnt/nfs") == device(254, 1))
        #expect(list.device(of: "/mnt/nfs" + slashes) == device(0, 45))
        #expect(list.device(of: String(repeating: "/a", count: 2 << 20)) == device(254, 1))
    }

    @Test func `a later mount covers an earlier one`() {
        let text = "1 0 8:1 / /a rw - ext4 x rw\n2 1 8:2 / /a rw - ext4 y rw\n"
        #expect(MountList(mountinfo: Array(text.utf8)).device(of: "/a/b") == device(8, 2))
    }

    @Test(arguments: [
        "", "\n\n", "1 2 3", "1 0 8 / /a rw", "1 0 8:99999999999 / /a rw", "1 0 -1:2 / /a rw", "1 0 a:b / /a rw",
    ])
    func `what is no line of it is left out`(text: String) {
        #expect(MountList(mountinfo: Array(text.utf8)).device(of: "/a/b") == nil)
    }

    @Test(arguments: ["\\", "\\0", "\\04", "\\999", "\\777", "a\\134b"])
    func `any name of a mount point can be read`(name: String) {
        let text = "1 0 8:1 / / rw - ext4 x rw\n2 1 8:2 / /\(name) rw - ext4 y rw\n"
        #expect(MountList(mountinfo: Array(text.utf8)).device(of: "/elsewhere") == device(8, 1))
    }

    @Test func `the kernel's own list is read`() {
        let mounts = MountTable()
        #expect(mounts.device(of: "/proc/self/status") != nil)
        #expect(mounts.device(of: "/proc/self/status") != mounts.device(of: "/"))
        var status = stat()
        #expect(stat("/proc", &status) == 0)
        #expect(mounts.device(of: "/proc")?.number == UInt64(status.st_dev))
    }

    @Test func `a number is made as the kernel makes it`() {
        #expect(device(8, 17).number == 0x811)
        #expect(device(0xABCD_E123, 0x1234_5678).number == 0xABCD_E123_4561_2378)
    }
}
