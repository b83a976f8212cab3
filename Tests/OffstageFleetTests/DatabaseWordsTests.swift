// SPDX-License-Identifier: Apache-2.0
import OffstageFleet
import OffstageTestSupport
import Testing

/// libpq's messages are embedded in our sentences.
@Suite struct DatabaseWordsTests {
    @Test func `several lines of libpq become one, without tabs and without a stop at the end`() throws {
        let folder = try TemporaryDirectory()
        let address = try DatabaseAddress("host=\(folder.path) port=1 user=ann dbname=fleet")
        guard case .failure(let error) = DatabaseConnection.opened(address) else {
            Issue.record("Somebody listens in an empty folder.")
            return
        }
        #expect(error.kind == .connection)
        #expect(error.description.contains("Is the server running locally"))
        #expect(!error.description.contains("\u{FFFD}") && !error.description.contains("\t"))
        #expect(error.description.last?.isPunctuation == true && error.description.last != ".")
    }
}
