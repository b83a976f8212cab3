// SPDX-License-Identifier: Apache-2.0

/// The links that belong to modems, according to the kernel's drivers.
package enum CellularLinks {
    /// Looks for `DEVTYPE=wwan` in the links' `uevent`, which modem drivers set, and which NetworkManager and
    /// systemd-networkd rely on, too.
    ///
    /// Reads two files for each link of the machine.
    ///
    /// - Parameters:
    ///   - indices: the links' numbers.
    ///   - sys: the path of sysfs.
    /// - Returns: whether there are links, and all of them belong to modems.
    package static func areAll(_ indices: Set<Int32>, in sys: SystemFolder) -> Bool {
        guard !indices.isEmpty else { return false }
        var modems: Set<Int32> = []
        for name in sys.names(in: "class/net") {
            guard let index = sys.text("class/net/\(name)/ifindex").flatMap({ Int32($0) }), indices.contains(index),
                sys.text("class/net/\(name)/uevent")?.split(separator: "\n").contains("DEVTYPE=wwan") == true
            else { continue }
            modems.insert(index)
        }
        return modems == indices
    }
}
