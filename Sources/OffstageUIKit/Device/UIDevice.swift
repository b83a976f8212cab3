// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The machine.
@preconcurrency @MainActor
open class UIDevice: NSObject {
    /// The state of a battery.
    public enum BatteryState: Int, Sendable {
        /// Not known.
        case unknown = 0
        /// Unplugged.
        case unplugged = 1
        /// Plugged in, not full.
        case charging = 2
        /// Plugged in, full.
        case full = 3
    }

    /// The machine that the app runs on.
    public class var current: UIDevice { currentDevice }
    private static let currentDevice = UIDevice()

    /// Whether apps can run in the background: always true.
    open var isMultitaskingSupported: Bool { true }

    /// The host's name.
    open var name: String { ProcessInfo.processInfo.hostName }
    /// The machine's model: `Linux`.
    open var model: String { "Linux" }
    /// The machine's model: `Linux`.
    open var localizedModel: String { model }
    /// The system's name: `Linux`.
    open var systemName: String { "Linux" }
    /// The kernel's version, as three numbers.
    open var systemVersion: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
    }

    /// The screen's idiom: unknown.
    open var userInterfaceIdiom: UIUserInterfaceIdiom { .unspecified }

    /// Nil: there is no vendor to assign identifiers.
    open var identifierForVendor: UUID? { nil }

    /// Stored, but has no effect: the battery is not monitored.
    open var isBatteryMonitoringEnabled = false
    /// Not known.
    open var batteryState: BatteryState { .unknown }
    /// Not known: -1.
    open var batteryLevel: Float { -1 }
}

/// The kind of screen on which an app is shown.
public enum UIUserInterfaceIdiom: Int, Sendable {
    /// Not known.
    case unspecified = -1
    /// A phone.
    case phone = 0
    /// A tablet.
    case pad = 1
    /// A television.
    case tv = 2
    /// A car.
    case carPlay = 3
    /// A desktop.
    case mac = 5
    /// A headset.
    case vision = 6
}
