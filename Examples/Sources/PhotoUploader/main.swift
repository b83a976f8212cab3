// SPDX-License-Identifier: Apache-2.0
import Foundation

// PhotoUploader FOLDER [SERVER PHOTOS]
//
// Uploads all photos of a folder and runs until each has been reported. FOLDER is the counterpart of Documents on a
// phone. With FOLDER alone it acts as the launch after a crash: it picks up the active uploads, and reports them.

guard [2, 4].contains(CommandLine.arguments.count) else {
    print("usage: PhotoUploader FOLDER [SERVER PHOTOS]")
    exit(64)
}

UploadManager.shared.reconnect()
if CommandLine.arguments.count == 4 {
    guard let server = URL(string: CommandLine.arguments[2]) else {
        print("\(CommandLine.arguments[2]) is no URL.")
        exit(64)
    }
    let photos = try FileManager.default
        .contentsOfDirectory(at: URL(fileURLWithPath: CommandLine.arguments[3]), includingPropertiesForKeys: nil)
        .sorted { $0.lastPathComponent < $1.lastPathComponent }
    for photo in photos {
        try UploadManager.shared.upload(photo, to: server)
    }
}
UploadManager.shared.finishWhenReported()
dispatchMain()
