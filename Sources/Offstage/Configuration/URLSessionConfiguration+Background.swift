// SPDX-License-Identifier: Apache-2.0
public import FoundationNetworking

extension URLSessionConfiguration {
    private var extensions: BackgroundConfiguration.Extras {
        get { (self as? BackgroundConfiguration)?.extras ?? BackgroundConfiguration.Extras() }
        set { (self as? BackgroundConfiguration)?.extras = newValue }
    }

    /// A configuration for transfers that go on without the app: the daemon makes them, and keeps them through the end
    /// of the app, of the log-in session and of the machine.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/background(withidentifier:)>
    ///
    /// - Parameter identifier: names the session within the app; not empty. A session that is made with the same
    ///   identifier after a relaunch has the same tasks.
    /// - Returns: a configuration with Apple's defaults.
    public static func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        guard !identifier.isEmpty else {
            Misuse.stop("URLSessionConfiguration.background(withIdentifier:)", "the identifier must not be empty")
        }
        return BackgroundConfiguration.make(identifier: identifier)
    }

    /// Whether the app is resumed or launched when the session's tasks are done or need it; true unless set.
    ///
    /// An app that is suspended, or does not run, is not for a session that says no: its delegate hears of the events
    /// when the app comes back. Programs without `OffstageUIKit` are never launched.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/sessionsendslaunchevents>
    public var sessionSendsLaunchEvents: Bool {
        get { extensions.sendsLaunchEvents }
        set { extensions.sendsLaunchEvents = newValue }
    }

    /// Without effect: a background session always waits for connectivity, and FoundationNetworking never does.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/waitsforconnectivity>
    public var waitsForConnectivity: Bool {
        get { extensions.waitsForConnectivity }
        set { extensions.waitsForConnectivity = newValue }
    }

    /// Whether tasks use a network that somebody pays for by the byte; true unless set.
    ///
    /// With false they wait while NetworkManager calls the network metered, or it is a mobile one (docs/conditions.md). Without
    /// effect for a session in the foreground.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/allowsexpensivenetworkaccess>
    public var allowsExpensiveNetworkAccess: Bool {
        get { extensions.allowsExpensiveNetworkAccess }
        set { extensions.allowsExpensiveNetworkAccess = newValue }
    }

    /// Whether tasks use the network in low data mode, which is a setting of the daemon here; true unless set. Without effect
    /// for a session in the foreground.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/allowsconstrainednetworkaccess>
    public var allowsConstrainedNetworkAccess: Bool {
        get { extensions.allowsConstrainedNetworkAccess }
        set { extensions.allowsConstrainedNetworkAccess = newValue }
    }

    /// Kept, without effect: programs of one user share their files without containers.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/sharedcontaineridentifier>
    public var sharedContainerIdentifier: String? {
        get { extensions.sharedContainerIdentifier }
        set { extensions.sharedContainerIdentifier = newValue }
    }

    /// Kept, without effect: host names are looked up by the system's resolver as it is set up.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/requiresdnssecvalidation>
    public var requiresDNSSECValidation: Bool {
        get { extensions.requiresDNSSECValidation }
        set { extensions.requiresDNSSECValidation = newValue }
    }

    /// Kept, without effect: there is one way of loading here.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/usesclassicloadingmode>
    public var usesClassicLoadingMode: Bool {
        get { extensions.usesClassicLoadingMode }
        set { extensions.usesClassicLoadingMode = newValue }
    }

    /// Kept, without effect: libcurl sends no early data here.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/enablesearlydata>
    public var enablesEarlyData: Bool {
        get { extensions.enablesEarlyData }
        set { extensions.enablesEarlyData = newValue }
    }

    /// Kept, without effect: the system's TLS library decides.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/tlsminimumsupportedprotocolversion>
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { extensions.minimumTLSVersion }
        set { extensions.minimumTLSVersion = newValue }
    }

    /// Kept, without effect: the system's TLS library decides.
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/tlsmaximumsupportedprotocolversion>
    public var tlsMaximumSupportedProtocolVersion: tls_protocol_version_t {
        get { extensions.maximumTLSVersion }
        set { extensions.maximumTLSVersion = newValue }
    }
}
