// SPDX-License-Identifier: Apache-2.0

/// One request as nginx logged it when it ended.
package struct AccessLogEntry: Codable, Sendable {
    package var method: String
    package var uri: String
    package var status: Int
    /// Bytes of the response's body that were written to the socket.
    package var bytes: Int64
    /// Bytes of the request, including its head.
    package var requestLength: Int64
    /// `HTTP/1.1` or `HTTP/2.0`.
    package var version: String
    /// The `Range` header; empty if there was none.
    package var range: String
    package var ifRange: String
    package var idempotencyKey: String
    package var authorization: String
    /// The number of the connection, as nginx counts them.
    package var connection: Int

    /// nginx's `log_format` for these lines.
    static let logFormat = """
        log_format entries escape=json '{"method":"$request_method","uri":"$request_uri","status":$status,'
            '"bytes":$body_bytes_sent,"requestLength":$request_length,"version":"$server_protocol",'
            '"range":"$http_range","ifRange":"$http_if_range","idempotencyKey":"$http_idempotency_key",'
            '"authorization":"$http_authorization","connection":$connection}';
        """
}
