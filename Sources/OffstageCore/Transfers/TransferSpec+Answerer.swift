// SPDX-License-Identifier: Apache-2.0

extension TransferSpec {
    /// The party that gave an answer: a proxy asks for its own password.
    func answerer(_ status: Int) -> String {
        guard status == 407, let proxy = proxy.proxy(for: url).flatMap(ProxyAddress.init) else { return "the server" }
        return "the proxy \(proxy.hostKey)"
    }
}
