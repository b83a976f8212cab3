// SPDX-License-Identifier: Apache-2.0
import OffstageFleet
import Testing

@Suite struct DatabaseAddressTests {
    @Test(arguments: [
        "postgresql://member@db.example/fleet", "postgresql://member@db.example/fleet?sslmode=verify-full",
        "host=/run/postgresql dbname=fleet", "postgresql://a,b:5433/fleet?target_session_attrs=any",
        "postgresql:///fleet?host=/tmp/x", "host=/tmp/x requirepeer=ann dbname=fleet",
    ]) func `an address that is verified, or a socket of this machine, is taken`(text: String) {
        #expect(throws: Never.self) { try DatabaseAddress(text) }
    }

    @Test(arguments: [
        ("postgresql://db.example/fleet?sslmode=require", "verified"), ("host=127.0.0.1 sslmode=disable", "verified"),
        ("postgresql://db.example/fleet?options=-c%20x", "options"), ("host=/tmp service=x", "service"),
        ("host=/tmp,db.example sslmode=prefer", "verified"),
        ("host=/tmp hostaddr=10.0.0.1 sslmode=disable", "verified"),
        ("nonsense", "cannot be read"), ("postgresql://u:secret@[", "cannot be read"),
        ("host=/tmp\0", "cannot be read"),
        ("postgresql://db.example/fleet?sslkeylogfile=/tmp/keys", "cannot be read"),
    ]) func `any other is refused, in words without its password`(text: String, words: String) {
        do {
            _ = try DatabaseAddress(text)
            Issue.record("\(text) was taken")
        } catch {
            #expect(error.kind == .address && error.description.contains(words), "\(error)")
            #expect(!error.description.contains("secret"))
        }
    }
}
