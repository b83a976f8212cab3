// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageScheduler
import OffstageTestSupport

/// Folders of real files that look like a machine's `/sys` and `/proc`.
final class FakeSystem {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for folder in ["sys", "sys/class", "sys/class/power_supply", "proc", "proc/pressure", "proc/self", "store"] {
            try TestFiles.makeDirectory(directory.path(folder))
        }
        try setNamespace("         0          0 4294967295")
        try TestFiles.write("0.10 0.20 0.30 1/100 4711\n", to: directory.path("proc/loadavg"))
    }

    var sys: SystemFolder { SystemFolder(directory.path("sys")) }
    var proc: SystemFolder { SystemFolder(directory.path("proc")) }

    func monitor(subsystem: String = "power_supply") -> ConditionMonitor {
        ConditionMonitor(
            store: directory.path("store"),
            sys: sys.path,
            proc: proc.path,
            bus: directory.path("bus"),
            subsystem: subsystem,
            processors: 4
        )
    }

    /// Makes a power supply, or changes what an existing one says.
    func setSupply(_ name: String, _ values: [String: String]) throws {
        let folder = directory.path("sys/class/power_supply/" + name)
        try TestFiles.makeDirectory(folder)
        for (file, value) in values { try TestFiles.write(value + "\n", to: folder + "/" + file) }
    }

    /// Sets what `/proc/self/uid_map` says of the user namespace.
    func setNamespace(_ text: String) throws {
        try TestFiles.write(text + "\n", to: directory.path("proc/self/uid_map"))
    }

    /// Sets the percent of the last 10 s in which a program waited for a processor.
    func setPressure(_ percent: String) throws {
        try TestFiles.write(
            """
            some avg10=\(percent) avg60=77.00 avg300=88.00 total=14804992152
            full avg10=99.00 avg60=0.00 avg300=0.00 total=0

            """,
            to: directory.path("proc/pressure/cpu")
        )
    }

    func setLoadAverage(_ programs: String) throws {
        try TestFiles.write("\(programs) 9.87 9.32 1/108 8707\n", to: directory.path("proc/loadavg"))
    }

    /// Puts a pressure file of the kernel's in place of the machine's.
    func linkPressure(to path: String) throws {
        guard symlink(path, directory.path("proc/pressure/cpu")) == 0 else {
            throw TestError.system("\(path) cannot be linked")
        }
    }
}
