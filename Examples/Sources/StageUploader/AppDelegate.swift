// SPDX-License-Identifier: Apache-2.0
import UIKit

// StageUploader FOLDER SERVER
//
// Sends what lies in FOLDER/Outbox when it comes to the front: cover.jpg by itself, photos (*.jpg) with one background
// session and movies (*.mov) with another. FOLDER/events.log says what became of them.

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let folder: URL
    private let server: URL
    private let log: AppLog
    private let cover: CoverUpload
    private let photos: BackgroundUploads
    private let movies: BackgroundUploads

    override init() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let server = URL(string: arguments[2]) else {
            print("usage: StageUploader FOLDER SERVER")
            exit(64)
        }
        folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
        self.server = server
        do {
            log = try AppLog(in: folder)
            for place in ["Outbox", "Sending", "Sent"] {
                try FileManager.default.createDirectory(
                    at: folder.appendingPathComponent(place),
                    withIntermediateDirectories: true
                )
            }
        } catch {
            fatalError("\(folder.path) cannot be used: \(error.localizedDescription)")
        }
        cover = CoverUpload(log: log)
        photos = BackgroundUploads(identifier: "photos", folder: folder, log: log)
        movies = BackgroundUploads(identifier: "movies", folder: folder, log: log)
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        log.note(application.applicationState == .background ? "launched-in-background" : "launched")
        photos.reconnect()
        movies.reconnect()
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        log.note("active")
        let outbox = folder.appendingPathComponent("Outbox", isDirectory: true)
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: outbox.path)) ?? []).sorted()
        for name in names {
            if name == "cover.jpg" {
                cover.send(outbox.appendingPathComponent(name), to: server.appendingPathComponent(name))
            } else if name.hasSuffix(".mov") {
                movies.send(name, to: server)
            } else {
                photos.send(name, to: server)
            }
        }
        log.note("handed-over \(names.count { $0 != "cover.jpg" })")
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        log.note("in-background")
    }

    func applicationWillTerminate(_ application: UIApplication) {
        log.note("terminating")
    }

    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        log.note("events \(identifier)")
        for uploads in [photos, movies] where uploads.identifier == identifier {
            uploads.eventsHandled = completionHandler
        }
    }
}
