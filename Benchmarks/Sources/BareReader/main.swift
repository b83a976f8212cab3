// SPDX-License-Identifier: Apache-2.0
import CBareSQLite
import FoundationEssentials
import Glibc

// bare-reader SPECIFICATIONS DATABASE BATCH
//
// What taking in a hand-over costs at the least: decodes each task's JSON and inserts its rows, with one commit a batch
// that is synced. SPECIFICATIONS has one JSON a line; DATABASE has the daemon's schema and is empty. Prints the rate.

let arguments = CommandLine.arguments
guard arguments.count == 4, let batch = Int(arguments[3]) else {
    print("usage: bare-reader SPECIFICATIONS DATABASE BATCH")
    exit(64)
}

func measure() throws {
    let lines = try Data(contentsOf: URL(filePath: arguments[1])).split(separator: UInt8(ascii: "\n"))
    let table = try BareTable(arguments[2])
    let decoder = JSONDecoder()
    let began = ContinuousClock.now
    var next = 0
    while next < lines.count {
        let end = min(next + batch, lines.count)
        try table.execute("BEGIN IMMEDIATE")
        for number in next..<end {
            let task = try decoder.decode(BareTask.self, from: lines[number])
            try table.insert(task, id: Int64(number + 1), json: lines[number])
        }
        try table.execute("COMMIT")
        next = end
    }
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    print(#"{"count":\#(lines.count),"seconds":\#(seconds)}"#)
}

do {
    try measure()
} catch {
    // An error that nothing catches is a trap, which says nothing to the bench.
    let text = Array("\(error)\n".utf8)
    _ = write(STDERR_FILENO, text, text.count)
    exit(1)
}
