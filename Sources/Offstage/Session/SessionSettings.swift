// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore

/// What a session took from its configuration when it was made.
struct SessionSettings: Sendable {
    let identifier: String
    /// `httpAdditionalHeaders`: for requests that do not have them.
    let additionalHeaders: [HeaderField]
    let idleTimeout: Double
    let overallTimeout: Double
    let connectionsPerHost: Int
    let proxy: TransferSpec.ProxyEnvironment
    let sendsLaunchEvents: Bool
    /// What the network and the moment must be like.
    let needs: TransferNeeds
    /// Nil when no cookies are to be handled.
    let cookies: HTTPCookieStorage?
    let setsCookies: Bool
    let cookiePolicy: HTTPCookie.AcceptPolicy
    let credentials: URLCredentialStorage?

    /// `URLRequest`'s own: a request with another has been given it.
    private static let defaultTimeout: Double = 60

    init(_ configuration: URLSessionConfiguration, environment: [String: String]) {
        identifier = configuration.identifier ?? ""
        additionalHeaders = (configuration.httpAdditionalHeaders ?? [:])
            .map { HeaderField(name: "\($0.key)", value: "\($0.value)") }
            .sorted { $0.name < $1.name }
        idleTimeout = configuration.timeoutIntervalForRequest
        overallTimeout = configuration.timeoutIntervalForResource
        connectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        proxy = ProxySettings.proxies(configuration.connectionProxyDictionary, environment: environment)
        sendsLaunchEvents = configuration.sessionSendsLaunchEvents
        var needs: TransferNeeds = []
        if !configuration.allowsCellularAccess { needs.insert(.noCellular) }
        if !configuration.allowsExpensiveNetworkAccess { needs.insert(.noExpensive) }
        if !configuration.allowsConstrainedNetworkAccess { needs.insert(.noConstrained) }
        if configuration.isDiscretionary { needs.insert(.goodMoment) }
        self.needs = needs
        cookies = configuration.httpCookieStorage
        setsCookies = configuration.httpShouldSetCookies
        cookiePolicy = configuration.httpCookieAcceptPolicy
        credentials = configuration.urlCredentialStorage
    }

    /// The header fields that a request is sent with.
    func headers(of request: URLRequest) -> [HeaderField] {
        var fields: [HeaderField] = []
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            fields.append(HeaderField(name: name, value: value))
        }
        fields.sort { $0.name < $1.name }
        for field in additionalHeaders where fields[field.name] == nil { fields.append(field) }
        if fields["Cookie"] == nil {
            for (name, value) in cookieFields(of: request) { fields.append(HeaderField(name: name, value: value)) }
        }
        return fields
    }

    /// What the cookies that are stored for a request add to its header fields.
    private func cookieFields(of request: URLRequest) -> [String: String] {
        guard setsCookies, request.httpShouldHandleCookies, let url = request.url,
            let stored = cookies?.cookies(for: url), !stored.isEmpty
        else { return [:] }
        return HTTPCookie.requestHeaderFields(with: stored)
    }

    /// A request to where a redirect leads, with the cookies for that place: FoundationNetworking adds none where a
    /// session has a delegate.
    ///
    /// - Parameters:
    ///   - request: what FoundationNetworking would send, which has all fields of the request before.
    ///   - former: where that went to.
    /// - Returns: a request that has nothing which is for the former place alone.
    func redirected(_ request: URLRequest, from former: URL?) -> URLRequest {
        var request = request
        if Self.origin(of: request.url) != Self.origin(of: former) {
            for name in request.allHTTPHeaderFields?.keys.map(\.self) ?? [] where !HarmlessHeaders.travels(name) {
                request.setValue(nil, forHTTPHeaderField: name)
            }
        }
        for (name, value) in cookieFields(of: request) { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    private static func origin(of url: URL?) -> String? {
        guard let url = url.flatMap({ try? RequestURL($0.absoluteString) }) else { return nil }
        return "\(url.scheme)://\(url.hostKey)"
    }

    /// Whether cookies of redirects are to be left alone, too.
    func refusesCookies(of request: URLRequest) -> Bool {
        !setsCookies || !request.httpShouldHandleCookies || cookies == nil || cookiePolicy == .never
    }

    /// The request that a task of a former process was made from, as far as its specification tells.
    func request(of spec: TransferSpec) -> URLRequest? {
        guard let url = URL(string: spec.url.unredacted) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = spec.method
        if spec.needs.contains(.noCellular), !needs.contains(.noCellular) { request.allowsCellularAccess = false }
        if spec.idleTimeout != idleTimeout { request.timeoutInterval = spec.idleTimeout }
        let added = Set(additionalHeaders)
        for field in spec.headers where !added.contains(field) && !(setsCookies && field.name == "Cookie") {
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        return request
    }

    /// A request may ask for more than its session, and not for less.
    func needs(of request: URLRequest) -> TransferNeeds {
        request.allowsCellularAccess ? needs : needs.union(.noCellular)
    }

    func idleTimeout(of request: URLRequest) -> Double {
        request.timeoutInterval == Self.defaultTimeout ? idleTimeout : request.timeoutInterval
    }

    /// Keeps the cookies of a response.
    func storeCookies(of response: HTTPURLResponse) {
        guard let cookies, cookiePolicy != .never, let url = response.url else { return }
        var fields: [String: String] = [:]
        for (name, value) in response.allHeaderFields { fields["\(name)"] = "\(value)" }
        let received = HTTPCookie.cookies(withResponseHeaderFields: fields, for: url)
        if !received.isEmpty { cookies.setCookies(received, for: url, mainDocumentURL: nil) }
    }
}
