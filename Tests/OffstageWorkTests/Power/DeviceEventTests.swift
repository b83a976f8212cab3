// SPDX-License-Identifier: Apache-2.0
import OffstageWork
import Testing

@Suite struct `What the kernel says of devices` {
    private static func event(_ lines: [String]) -> DeviceEvent? {
        DeviceEvent(lines.flatMap { Array($0.utf8) + [0] }[...])
    }

    @Test func `a recorded change is understood`() throws {
        let event = try #require(
            Self.event([
                "change@/devices/virtual/mem/null", "ACTION=change", "DEVPATH=/devices/virtual/mem/null",
                "SUBSYSTEM=mem", "SYNTH_UUID=0", "MAJOR=1", "MINOR=3", "DEVNAME=null", "DEVMODE=0666",
                "SEQNUM=7273",
            ])
        )
        #expect(event.action == "change")
        #expect(event.subsystem == "mem")
    }

    @Test func `a supply's change is understood, whatever its values hold`() throws {
        let event = try #require(
            Self.event([
                "change@/devices/LNXSYSTM:00/LNXSYBUS:00/PNP0C0A:00/power_supply/BAT0", "ACTION=change",
                "DEVPATH=/devices/LNXSYSTM:00/LNXSYBUS:00/PNP0C0A:00/power_supply/BAT0", "SUBSYSTEM=power_supply",
                "DEVTYPE=power_supply", "POWER_SUPPLY_NAME=BAT0", "POWER_SUPPLY_TYPE=Battery",
                "POWER_SUPPLY_STATUS=Not charging", "POWER_SUPPLY_MODEL_NAME=SUBSYSTEM=usb", "SEQNUM=4500",
            ])
        )
        #expect(event.subsystem == "power_supply")
    }

    @Test func `the end need not be marked`() {
        #expect(DeviceEvent(Array("add@/x\0ACTION=add\0SUBSYSTEM=usb".utf8)[...])?.subsystem == "usb")
    }

    @Test func `what is no event of the kernel's is none`() {
        // A device manager forwards events behind its own header.
        #expect(Self.event(["libudev", "ACTION=change", "SUBSYSTEM=power_supply"]) == nil)
        #expect(Self.event([]) == nil)
        #expect(Self.event(["change@/devices/virtual/mem/null"]) == nil)
        #expect(Self.event(["change@/x", "ACTION=change"]) == nil)
        #expect(Self.event(["change@/x", "SUBSYSTEM=mem"]) == nil)
        #expect(Self.event(["MODEL=a@b", "ACTION=change", "SUBSYSTEM=mem"]) == nil)
    }

    @Test func `no bytes at all make it fail`() {
        var generator = SystemRandomNumberGenerator()
        for length in 0..<512 {
            _ = DeviceEvent((0..<length).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }[...])
        }
    }
}
