// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking

// urlsession-fetch URL FILE: downloads to a file with corelibs' URLSession, in the way an app would.
let arguments = CommandLine.arguments
guard arguments.count == 3, let url = URL(string: arguments[1]) else {
    FileHandle.standardError.write(Data("usage: urlsession-fetch URL FILE\n".utf8))
    exit(2)
}
let target = URL(fileURLWithPath: arguments[2])

do {
    let (file, response) = try await URLSession.shared.download(from: url)
    guard let answer = response as? HTTPURLResponse, answer.statusCode == 200 else { exit(22) }
    try FileManager.default.moveItem(at: file, to: target)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
