// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import OffstageWork

/// Folders of real files laid out like a machine's `/sys` and `/proc`.
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
            sources: MachineSources(
                sys: sys.path,
                proc: proc.path,
                bus: directory.path("bus"),
                subsystem: subsystem
            ),
            processors: 4
        )
    }

    /// Creates a power supply, or changes the values of an existing one.
    func setSupply(_ name: String, _ values: [String: String]) throws {
        let folder = directory.path("sys/class/power_supply/" + name)
        try TestFiles.makeDirectory(folder)
        for (file, value) in values { try TestFiles.write(value + "\n", to: folder + "/" + file) }
    }

    /// Creates a network interface.
    func setLink(_ name: String, _ index: Int32, isModem: Bool) throws {
        for folder in ["sys/class/net", "sys/class/net/" + name] {
            try TestFiles.makeDirectory(directory.path(folder))
        }
        let folder = directory.path("sys/class/net/" + name)
        try TestFiles.write("\(index)\n", to: folder + "/ifindex")
        let type = isModem ? "DEVTYPE=wwan\n" : ""
        try TestFiles.write("\(type)INTERFACE=\(name)\nIFINDEX=\(index)\n", to: folder + "/uevent")
    }

    /// Sets the user namespace in `/proc/self/uid_map`.
    func setNamespace(_ text: String) throws {
        try TestFiles.write(text + "\n", to: directory.path("proc/self/uid_map"))
    }

    /// Sets the percentage of the last 10 s in which a program waited for a processor.
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

    /// Sets how long the machine has run, and how much of all processors' time its programs have used, in seconds.
    func setUse(uptime: Int, whole: Int, used: Int) throws {
        try TestFiles.write("\(uptime).00 12.34\n", to: directory.path("proc/uptime"))
        let idle = (whole - used) * 100
        try TestFiles.write(
            "cpu  \(used * 50) \(used * 20) \(used * 30) \(idle) 0 0 0 0 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n",
            to: directory.path("proc/stat")
        )
    }

    /// Sets the time that a process has used, itself and including children that it has waited for, in seconds, and its
    /// parent and children.
    func setProcess(
        _ number: Int32,
        used: Int,
        waited: Int = 0,
        startedAt: Int = 1,
        parent: Int32 = 1,
        children: [Int32] = []
    ) throws {
        for folder in ["", "/task", "/task/\(number)"] {
            try TestFiles.makeDirectory(directory.path("proc/\(number)" + folder))
        }
        let times = "\(used * 60) \(used * 40) \(waited * 30) \(waited * 70)"
        try TestFiles.write(
            "\(number) (a) name) S \(parent) 1 1 0 -1 0 1 2 3 4 \(times) 20 0 1 0 \(startedAt) 5 6 7\n",
            to: directory.path("proc/\(number)/stat")
        )
        try TestFiles.write(
            children.map { "\($0) " }.joined(),
            to: directory.path("proc/\(number)/task/\(number)/children")
        )
    }

    /// Puts a real pressure file of the kernel in place of the machine's.
    func linkPressure(to path: String) throws {
        guard symlink(path, directory.path("proc/pressure/cpu")) == 0 else {
            throw TestError.system("\(path) cannot be linked")
        }
    }
}
