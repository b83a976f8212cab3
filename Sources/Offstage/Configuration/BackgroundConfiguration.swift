// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking

/// The class that `URLSessionConfiguration.background(withIdentifier:)` returns.
///
/// Unchecked: like its base class, it is changed by only one thread, and the session copies it before anything is
/// shared.
final class BackgroundConfiguration: URLSessionConfiguration, ConfigurationInitializing, @unchecked Sendable {
    /// The properties that FoundationNetworking's class lacks.
    struct Extras: Sendable {
        var sendsLaunchEvents = true
        var waitsForConnectivity = false
        var allowsExpensiveNetworkAccess = true
        var allowsConstrainedNetworkAccess = true
        var sharedContainerIdentifier: String?
        var requiresDNSSECValidation = false
        var usesClassicLoadingMode = true
        var enablesEarlyData = false
        var minimumTLSVersion = tls_protocol_version_t.TLSv12
        var maximumTLSVersion = tls_protocol_version_t.TLSv13
    }

    var extras = Extras()

    // Deprecated, as the only initializer of the base class is; a subclass cannot avoid it.
    @available(*, deprecated)
    required override init() { super.init() }

    /// A configuration with Apple's defaults.
    static func make(identifier: String) -> BackgroundConfiguration {
        let configuration = initialized(BackgroundConfiguration.self)
        configuration.identifier = identifier
        // Catches a session that was created without the function `URLSession(configuration:delegate:delegateQueue:)`.
        configuration.protocolClasses = [SpelledOutSession.self]
        return configuration
    }

    override func copy(with zone: NSZone?) -> Any {
        let copy = Self.initialized(BackgroundConfiguration.self)
        copy.identifier = identifier
        copy.extras = extras
        copyCommonSettings(to: copy)
        copy.protocolClasses = protocolClasses
        return copy
    }

    /// A configuration for a foreground session with the same settings.
    func foregroundCopy() -> URLSessionConfiguration {
        let copy = URLSessionConfiguration.default
        copyCommonSettings(to: copy)
        return copy
    }

    private func copyCommonSettings(to copy: URLSessionConfiguration) {
        copy.requestCachePolicy = requestCachePolicy
        copy.timeoutIntervalForRequest = timeoutIntervalForRequest
        copy.timeoutIntervalForResource = timeoutIntervalForResource
        copy.networkServiceType = networkServiceType
        copy.allowsCellularAccess = allowsCellularAccess
        copy.isDiscretionary = isDiscretionary
        copy.connectionProxyDictionary = connectionProxyDictionary
        copy.httpShouldSetCookies = httpShouldSetCookies
        copy.httpCookieAcceptPolicy = httpCookieAcceptPolicy
        copy.httpAdditionalHeaders = httpAdditionalHeaders
        copy.httpMaximumConnectionsPerHost = httpMaximumConnectionsPerHost
        copy.httpCookieStorage = httpCookieStorage
        copy.urlCredentialStorage = urlCredentialStorage
        copy.urlCache = urlCache
        Self.copyIdleMode(from: self, to: copy)
    }

    private static func copyIdleMode(from source: any IdleModeHolding, to target: any IdleModeHolding) {
        target.shouldUseExtendedBackgroundIdleMode = source.shouldUseExtendedBackgroundIdleMode
        target.httpShouldUsePipelining = source.httpShouldUsePipelining
    }

    /// Calls the initializer through a protocol: its deprecation concerns foreground configurations.
    private static func initialized<Configuration: ConfigurationInitializing>(
        _ type: Configuration.Type
    ) -> Configuration { type.init() }
}

private protocol ConfigurationInitializing { init() }

/// Properties that are deprecated because they have no effect; they are still passed on.
private protocol IdleModeHolding: AnyObject {
    var shouldUseExtendedBackgroundIdleMode: Bool { get set }
    var httpShouldUsePipelining: Bool { get set }
}

extension URLSessionConfiguration: IdleModeHolding {}
