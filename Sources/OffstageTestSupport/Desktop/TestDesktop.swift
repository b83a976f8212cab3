// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A session bus for the test, with a service that accepts notifications as a desktop does.
package final class TestDesktop {
    package let address: String
    private let bus: ChildProcess
    private let directory: TemporaryDirectory
    private var server: ChildProcess?
    /// A FIFO that stays open at both ends: otherwise data written between two readers would be lost.
    private let orders: Int32
    private let ordersPath: String
    /// How often a new server fails to report its capabilities.
    private let lapses: Int

    package static let isPossible: Bool = {
        let programs = ["/usr/bin/dbus-daemon", "/usr/bin/python3"]
        guard programs.allSatisfy({ access($0, X_OK) == 0 }),
            let result = try? ChildProcess.run("/usr/bin/python3", ["-c", "import dbus.service, gi"])
        else { return false }
        return result.status == .exited(0)
    }()

    package init(hasServer: Bool = true, lapses: Int = 0) throws {
        self.lapses = lapses
        directory = try TemporaryDirectory()
        let path = directory.path("bus")
        ordersPath = directory.path("orders")
        guard mkfifo(ordersPath, 0o600) == 0 else { throw TestError.system("No FIFO can be made") }
        orders = open(ordersPath, O_RDWR | O_CLOEXEC)
        address = "unix:path=\(path)"
        let configuration = directory.path("bus.conf")
        try TestFiles.write(
            """
            <busconfig>
              <type>session</type>
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
        bus = try ChildProcess("/usr/bin/dbus-daemon", ["--config-file=\(configuration)", "--nofork", "--nopidfile"])
        try eventually("a bus") { TestFiles.exists(path) ? true : nil }
        if hasServer { try startServer() }
    }

    deinit {
        server?.kill(SIGKILL)
        bus.kill(SIGKILL)
        close(orders)
    }

    /// Replaces the server with another, whose numbers begin at 1.
    package func restartServer() throws {
        server?.kill(SIGKILL)
        _ = try server?.exitStatus()
        try startServer()
    }

    private func startServer() throws {
        let server = try ChildProcess(
            "/usr/bin/python3",
            ["-u", "-c", Self.program, ordersPath, String(lapses)],
            environment: ["DBUS_SESSION_BUS_ADDRESS": address]
        )
        self.server = server
        _ = try server.line { $0 == "ready" ? true : nil }
    }

    /// Waits for a call to the desktop.
    package func told(_ beginning: String, after count: Int = 0) throws -> String {
        try eventually("the desktop is told '\(beginning)'; it was told \(lines) \(server?.errors ?? "")") {
            lines.dropFirst(count).first { $0.hasPrefix(beginning) }
        }
    }

    package var lines: [String] { server?.lines ?? [] }

    /// `invoke NUMBER ACTION` or `close NUMBER REASON`, as a person, or the desktop, does.
    package func order(_ text: String) throws {
        let bytes = Array((text + "\n").utf8)
        guard write(orders, bytes, bytes.count) == bytes.count else { throw TestError.system("It takes no orders") }
    }

    private static let program = """
        import sys, json, threading, dbus, dbus.service, dbus.mainloop.glib
        from gi.repository import GLib
        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        NAME = "org.freedesktop.Notifications"
        class Desktop(dbus.service.Object):
            count = 0
            lapses = int(sys.argv[2])
            @dbus.service.method(NAME, out_signature="as")
            def GetCapabilities(self):
                if self.lapses > 0:
                    self.lapses -= 1
                    raise dbus.DBusException("not now")
                return ["actions", "body", "body-markup"]
            @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
            def Notify(self, app, replaces, icon, title, body, actions, hints, timeout):
                self.count += 1
                hints = {str(key): int(value) for key, value in hints.items()}
                print("notify", self.count, json.dumps([str(app), str(title), str(body), [str(a) for a in actions], hints]))
                return self.count
            @dbus.service.method(NAME, in_signature="u")
            def CloseNotification(self, number):
                print("close", int(number))
                self.NotificationClosed(number, 3)
            @dbus.service.signal(NAME, signature="us")
            def ActionInvoked(self, number, action):
                pass
            @dbus.service.signal(NAME, signature="uu")
            def NotificationClosed(self, number, reason):
                pass
        bus = dbus.SessionBus()
        desktop = Desktop(bus, "/org/freedesktop/Notifications")
        name = dbus.service.BusName(NAME, bus)
        def obey(line):
            verb, number, what = line.split()
            if verb == "invoke":
                desktop.ActionInvoked(int(number), what)
                desktop.NotificationClosed(int(number), 2)
            else:
                desktop.NotificationClosed(int(number), int(what))
        def listen():
            with open(sys.argv[1]) as orders:
                for line in iter(orders.readline, ""):
                    GLib.idle_add(obey, line)
        threading.Thread(target=listen, daemon=True).start()
        print("ready")
        GLib.MainLoop().run()
        """
}
