// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// What a 401 offers, in all its spellings.
@Suite struct AuthenticationOfferTests {
    typealias Case = (value: String, offers: [AuthenticationOffer])

    static let cases: [Case] = [
        ("", []),
        ("Basic", [.init(scheme: "basic")]),
        (#"Basic realm="files""#, [.init(scheme: "basic", realm: "files")]),
        (#"BASIC REALM = "a \"b\", c\\", charset="UTF-8""#, [.init(scheme: "basic", realm: #"a "b", c\"#)]),
        ("basic realm=plain", [.init(scheme: "basic", realm: "plain")]),
        (#"Bearer"#, [.init(scheme: "bearer")]),
        ("Negotiate aGVsbG8=", [.init(scheme: "negotiate")]),
        (#"Basic charset="UTF-8", realm="later""#, [.init(scheme: "basic", realm: "later")]),
        (
            #"Newauth realm="apps", type=1, title="Log, in \"to\" Basic", Basic realm="simple""#,
            [.init(scheme: "newauth", realm: "apps"), .init(scheme: "basic", realm: "simple")]
        ),
        (
            #"Digest realm="d", qop="auth, auth-int", nonce="n", opaque="o",Basic realm="b""#,
            [.init(scheme: "digest", realm: "d"), .init(scheme: "basic", realm: "b")]
        ),
        (", , Basic  realm=\"x\" ,", [.init(scheme: "basic", realm: "x")]),
        (#"realm="without a scheme""#, []),
        (#"Basic realm="never ends"#, [.init(scheme: "basic", realm: "never ends")]),
    ]

    @Test(arguments: cases.indices) func `a field is taken apart`(index: Int) {
        let field = HeaderField(name: "www-authenticate", value: Self.cases[index].value)
        #expect(AuthenticationOffer.offers(in: [field]) == Self.cases[index].offers)
    }

    @Test func `every field counts, in order`() {
        let fields = [
            HeaderField(name: "WWW-Authenticate", value: "Negotiate"), HeaderField(name: "Server", value: "Basic"),
            HeaderField(name: "WWW-Authenticate", value: #"Basic realm="x""#),
        ]
        let offers = AuthenticationOffer.offers(in: fields)
        #expect(offers == [.init(scheme: "negotiate"), .init(scheme: "basic", realm: "x")])
    }
}
