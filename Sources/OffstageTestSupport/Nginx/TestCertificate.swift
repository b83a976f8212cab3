// SPDX-License-Identifier: Apache-2.0

/// A certificate for `localhost` and 127.0.0.1 with its own authority, made by openssl.
package struct TestCertificate: Sendable {
    /// The authority's certificate in PEM, for `--cacert`.
    package let authority: String
    package let certificate: String
    package let key: String

    /// Creates the files `NAME-*.pem` in a directory.
    package init(in directory: String, name: String = "localhost") throws {
        authority = "\(directory)/\(name)-ca.pem"
        certificate = "\(directory)/\(name)-cert.pem"
        key = "\(directory)/\(name)-key.pem"
        let authorityKey = "\(directory)/\(name)-ca-key.pem"
        let request = "\(directory)/\(name).csr"
        let extensions = "\(directory)/\(name).ext"
        try TestFiles.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n", to: extensions)
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        let subject = ["-days", "2", "-subj", "/CN=Test CA \(name)"]
        try Self.openssl(["req", "-x509"] + curve + ["-keyout", authorityKey, "-out", authority] + subject)
        try Self.openssl(["req"] + curve + ["-keyout", key, "-out", request, "-subj", "/CN=localhost"])
        try Self.openssl(
            [
                "x509", "-req", "-in", request, "-CA", authority, "-CAkey", authorityKey, "-CAcreateserial",
                "-out", certificate, "-days", "2", "-extfile", extensions,
            ]
        )
    }

    private static func openssl(_ arguments: [String]) throws {
        let result = try ChildProcess.run("/usr/bin/openssl", arguments)
        guard result.isSuccess else { throw TestError("openssl \(arguments[0]) failed: \(result.errors)") }
    }
}
