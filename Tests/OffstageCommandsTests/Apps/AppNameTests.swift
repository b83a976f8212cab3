// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import Testing

@Suite struct AppNameTests {
    private let ids = [
        "com.example.drop", "com.example.dropoff", "com.example.TaskKeeper", "org.other.dropoff", "/home/me/bin/sender",
    ]

    private func find(_ word: String) -> AppName.Match { AppName.find(word, path: "/home/me/" + word, among: ids) }

    @Test(arguments: [
        ("com.example.drop", "com.example.drop"),
        ("com.example.dropo", "com.example.dropoff"),
        ("drop", "com.example.drop"),
        ("TaskKeeper", "com.example.TaskKeeper"),
        ("taskkeeper", "com.example.TaskKeeper"),
        ("Task", "com.example.TaskKeeper"),
        ("org", "org.other.dropoff"),
        ("/home/me/bin/sender", "/home/me/bin/sender"),
        ("bin/sender", "/home/me/bin/sender"),
        ("sender", "/home/me/bin/sender"),
    ])
    func `an app is meant by its identifier, its last component, or the beginning of either`(word: String, id: String) {
        #expect(find(word) == .one(id))
    }

    @Test func `a word that may be several is not guessed`() {
        #expect(find("dropoff") == .several(["com.example.dropoff", "org.other.dropoff"]))
        #expect(find("com.example") == .several(["com.example.drop", "com.example.dropoff", "com.example.TaskKeeper"]))
    }

    @Test func `a slip of the fingers is asked about`() {
        #expect(find("takskeeper") == .none(closest: "com.example.TaskKeeper"))
        #expect(find("com.example.dorp") == .none(closest: "com.example.drop"))
        #expect(find("photos") == .none(closest: nil))
        #expect(find("") == .none(closest: nil))
    }
}
