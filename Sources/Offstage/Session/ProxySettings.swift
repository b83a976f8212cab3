// SPDX-License-Identifier: Apache-2.0
import Foundation
package import OffstageCore

/// Determines which proxies a session's transfers use.
package enum ProxySettings {
    /// Returns the proxies in the configuration's `connectionProxyDictionary`, by CFNetwork's names for its keys.
    /// Without a dictionary, returns those in the environment's variables, as curl reads them.
    package static func proxies(
        _ dictionary: [AnyHashable: Any]?,
        environment: [String: String]
    ) -> ProxyEnvironment {
        guard let dictionary else { return proxies(environment) }
        func proxy(_ kind: String) -> String? {
            // Without the switch, a host alone is enough, as on Apple's platforms.
            if let isEnabled = number(dictionary["\(kind)Enable"]), isEnabled == 0 { return nil }
            guard let host = dictionary["\(kind)Proxy"] as? String, !host.isEmpty else { return nil }
            return "http://\(host)" + (number(dictionary["\(kind)Port"]).map { ":\($0)" } ?? "")
        }
        let exceptions = dictionary["ExceptionsList"] as? [String]
        return ProxyEnvironment(
            http: proxy("HTTP"),
            https: proxy("HTTPS"),
            none: exceptions?.joined(separator: ",")
        )
    }

    /// `http_proxy` counts only in lower case, because a server's environment may hold a request's `Proxy:` header
    /// under the other name.
    private static func proxies(_ environment: [String: String]) -> ProxyEnvironment {
        func either(_ name: String) -> String? {
            [environment[name], environment[name.uppercased()]].compactMap { $0 }.first { !$0.isEmpty }
        }
        return ProxyEnvironment(
            http: environment["http_proxy"].flatMap { $0.isEmpty ? nil : $0 },
            https: either("https_proxy"),
            all: either("all_proxy"),
            none: either("no_proxy")
        )
    }

    private static func number(_ value: Any?) -> Int? {
        (value as? Int) ?? (value as? NSNumber)?.intValue ?? (value as? Bool).map { $0 ? 1 : 0 }
    }
}
