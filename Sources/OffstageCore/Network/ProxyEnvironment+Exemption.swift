// SPDX-License-Identifier: Apache-2.0

extension ProxyEnvironment {
    /// The proxy for requests to a URL, as it was given; nil if none is set or the host is exempt.
    package func proxy(for url: RequestURL) -> String? {
        exempts(url.host) ? nil : proxy(forScheme: url.scheme)
    }

    /// Whether `no_proxy` exempts a host, as in libcurl: a single `*` means all; otherwise a list, separated by commas
    /// or blanks, of names (with their subdomains), addresses, and blocks of IPv4 addresses.
    ///
    /// - Parameter host: without brackets, as `RequestURL` has it.
    /// - Returns: whether requests to it use no proxy.
    package func exempts(_ host: String) -> Bool {
        guard let none, !none.isEmpty else { return false }
        if none == "*" { return true }
        let entries = none.utf8.split { $0 == UInt8(ascii: ",") || $0 == 32 || $0 == 9 }
            .map { String(decoding: $0, as: UTF8.self).lowercased() }
        if let address = IPAddress(literal: host) {
            return entries.contains { Self.covers($0, address, isColonForm: host.contains(":")) }
        }
        let name = Self.withoutDot(host.lowercased())
        return entries.contains { entry in
            var entry = Self.withoutDot(entry)
            if entry.hasPrefix(".") { entry.removeFirst() }
            return !entry.isEmpty && (name == entry || name.hasSuffix("." + entry))
        }
    }

    private static func withoutDot(_ name: String) -> String { name.hasSuffix(".") ? String(name.dropLast()) : name }

    /// Whether an entry is this address, or a block that contains it.
    private static func covers(_ entry: String, _ address: IPAddress, isColonForm: Bool) -> Bool {
        let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, first.contains(":") == isColonForm, isPlain(first),
            let network = IPAddress(literal: String(first))
        else { return false }
        guard parts.count == 2 else { return network == address }
        // libcurl 7.88 does not support IPv6 blocks. The number ends where its digits end, and 0 means the whole
        // address.
        guard !isColonForm, !parts[1].hasPrefix("-") else { return false }
        let digits = parts[1].prefix { $0.isASCII && $0.isNumber }
        guard let length = digits.isEmpty ? 0 : Int(digits), length <= 32 else { return false }
        return length == 0 ? network == address : address.matches(network, length: length)
    }

    /// Whether it is not a short form of an IPv4 address, which libcurl accepts only in a URL.
    private static func isPlain(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.contains(":")
            || parts.count == 4 && parts.allSatisfy { UInt8($0).map(String.init) == String($0) }
    }
}
