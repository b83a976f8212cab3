// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// The test's own D-Bus daemon, with a service on it that has NetworkManager's name.
final class PrivateBus {
    let path: String
    private let daemon: ChildProcess
    private let configuration: String

    static let isPossible: Bool = {
        let programs = ["/usr/bin/dbus-daemon", "/usr/bin/dbus-send", "/usr/bin/python3"]
        guard programs.allSatisfy({ access($0, X_OK) == 0 }),
            let result = try? ChildProcess.run("/usr/bin/python3", ["-c", "import dbus.service, gi"])
        else { return false }
        return result.status == .exited(0)
    }()

    init(in directory: TemporaryDirectory) throws {
        path = directory.path("bus")
        configuration = directory.path("bus.conf")
        try TestFiles.write(
            """
            <busconfig>
              <type>system</type>
              <listen>unix:path=\(path)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow receive_sender="*"/>
                <allow own="*"/>
              </policy>
            </busconfig>
            """,
            to: configuration
        )
        let arguments = ["--config-file=\(configuration)", "--nofork", "--nopidfile"]
        let program = try ChildProcess("/usr/bin/dbus-daemon", arguments)
        daemon = program
        let path = path
        try eventually("a bus") { TestFiles.exists(path) ? true : nil }
    }

    deinit { stop() }

    func stop() { daemon.kill(SIGKILL) }

    /// Starts the service, which ends with the bus.
    func startManager(metered: UInt32) throws -> ChildProcess {
        let manager = try ChildProcess(
            "/usr/bin/python3",
            ["-c", Self.manager, String(metered)],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(path)"]
        )
        try eventually("a service on the bus") { try call("GetAll", ["string:\(Self.name)"]) ? true : nil }
        return manager
    }

    /// Changes a property, as the service's own settings would.
    func set(_ property: String, to value: UInt32) throws {
        guard try call("Set", ["string:\(Self.name)", "string:\(property)", "variant:uint32:\(value)"]) else {
            throw TestError("\(property) cannot be set.")
        }
    }

    private func call(_ method: String, _ arguments: [String]) throws -> Bool {
        let target = ["--bus=unix:path=\(path)", "--print-reply", "--dest=\(Self.name)"]
        let what = ["/org/freedesktop/NetworkManager", "org.freedesktop.DBus.Properties.\(method)"]
        return try ChildProcess.run("/usr/bin/dbus-send", target + what + arguments).status == .exited(0)
    }

    private static let name = "org.freedesktop.NetworkManager"

    private static let manager = """
        import sys, dbus, dbus.service, dbus.mainloop.glib
        from gi.repository import GLib
        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        PROPERTIES = "org.freedesktop.DBus.Properties"
        class Manager(dbus.service.Object):
            values = {"Connectivity": dbus.UInt32(4), "Metered": dbus.UInt32(int(sys.argv[1]))}
            @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
            def Get(self, interface, name):
                return self.values[name]
            @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
            def GetAll(self, interface):
                return self.values
            @dbus.service.method(PROPERTIES, in_signature="ssv")
            def Set(self, interface, name, value):
                self.values[name] = value
                self.PropertiesChanged(interface, {name: value}, [])
            @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
            def PropertiesChanged(self, interface, changed, invalidated):
                pass
        bus = dbus.SystemBus()
        manager = Manager(bus, "/org/freedesktop/NetworkManager")
        name = dbus.service.BusName("org.freedesktop.NetworkManager", bus)
        loop = GLib.MainLoop()
        bus.call_on_disconnection(lambda connection: loop.quit())
        loop.run()
        """
}
