// SPDX-License-Identifier: Apache-2.0
public import FoundationNetworking

extension URLSessionConfiguration {
    private var extensions: BackgroundConfiguration.Extras {
        get { (self as? BackgroundConfiguration)?.extras ?? BackgroundConfiguration.Extras() }
        set { (self as? BackgroundConfiguration)?.extras = newValue }
    }

    /// A configuration for transfers that continue without the app: the daemon performs them. They survive the end of
    /// the app and of the log-in session, and a restart of the machine.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/background(withidentifier:)>
    ///
    /// - Parameter identifier: names the session within the app; not empty. A session created with the same identifier
    ///   after a relaunch has the same tasks.
    /// - Returns: a configuration with Apple's defaults.
    public static func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        guard !identifier.isEmpty else {
            Misuse.stop("URLSessionConfiguration.background(withIdentifier:)", "the identifier must not be empty")
        }
        return BackgroundConfiguration.make(identifier: identifier)
    }

    /// Whether the app is resumed or launched when the session's tasks finish or need it; true by default.
    ///
    /// If false, an app that is suspended or not running is left alone, and its delegate receives the events when the
    /// app comes back. Programs without `OffstageUIKit` are never launched.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/sessionsendslaunchevents>
    public var sessionSendsLaunchEvents: Bool {
        get { extensions.sendsLaunchEvents }
        set { extensions.sendsLaunchEvents = newValue }
    }

    /// No effect: a background session always waits for connectivity, and FoundationNetworking never does.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/waitsforconnectivity>
    public var waitsForConnectivity: Bool {
        get { extensions.waitsForConnectivity }
        set { extensions.waitsForConnectivity = newValue }
    }

    /// Whether tasks may use an expensive network, one that charges by the byte; true by default.
    ///
    /// If false, tasks wait while NetworkManager considers the network metered or the network is cellular
    /// (docs/conditions.md). No effect for a foreground session.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/allowsexpensivenetworkaccess>
    public var allowsExpensiveNetworkAccess: Bool {
        get { extensions.allowsExpensiveNetworkAccess }
        set { extensions.allowsExpensiveNetworkAccess = newValue }
    }

    /// Whether tasks may use the network in Low Data Mode, which is a setting of the daemon here; true by default. No
    /// effect for a foreground session.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/allowsconstrainednetworkaccess>
    public var allowsConstrainedNetworkAccess: Bool {
        get { extensions.allowsConstrainedNetworkAccess }
        set { extensions.allowsConstrainedNetworkAccess = newValue }
    }

    /// Stored, but has no effect: programs of one user share their files without containers.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/sharedcontaineridentifier>
    public var sharedContainerIdentifier: String? {
        get { extensions.sharedContainerIdentifier }
        set { extensions.sharedContainerIdentifier = newValue }
    }

    /// Stored, but has no effect: the system's resolver looks up host names as configured.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/requiresdnssecvalidation>
    public var requiresDNSSECValidation: Bool {
        get { extensions.requiresDNSSECValidation }
        set { extensions.requiresDNSSECValidation = newValue }
    }

    /// Stored, but has no effect: there is only one loading mode here.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/usesclassicloadingmode>
    public var usesClassicLoadingMode: Bool {
        get { extensions.usesClassicLoadingMode }
        set { extensions.usesClassicLoadingMode = newValue }
    }

    /// Stored, but has no effect: libcurl sends no early data here.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/enablesearlydata>
    public var enablesEarlyData: Bool {
        get { extensions.enablesEarlyData }
        set { extensions.enablesEarlyData = newValue }
    }

    /// Stored, but has no effect: the system's TLS library decides.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/tlsminimumsupportedprotocolversion>
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { extensions.minimumTLSVersion }
        set { extensions.minimumTLSVersion = newValue }
    }

    /// Stored, but has no effect: the system's TLS library decides.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/tlsmaximumsupportedprotocolversion>
    public var tlsMaximumSupportedProtocolVersion: tls_protocol_version_t {
        get { extensions.maximumTLSVersion }
        set { extensions.maximumTLSVersion = newValue }
    }
}
