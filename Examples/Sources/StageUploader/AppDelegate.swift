// SPDX-License-Identifier: Apache-2.0
import UIKit

// StageUploader FOLDER SERVER
//
// Sends the files in FOLDER/Outbox when it comes to the foreground: cover.jpg by itself, photos (*.jpg) with one
// background session and movies (*.mov) with another. FOLDER/events.log records what became of them.

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let album = Album.current
    private lazy var log = AppLog(in: album.folder)
    private lazy var cover = CoverUpload(log: log)
    private lazy var photos = BackgroundUploads(identifier: "photos", album: album, log: log)
    private lazy var movies = BackgroundUploads(identifier: "movies", album: album, log: log)

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
        let names = album.names(in: .outbox)
        for name in names {
            if name == "cover.jpg" {
                cover.send(album.file(name, in: .outbox), to: album.server.appendingPathComponent(name))
            } else if name.hasSuffix(".mov") {
                movies.send(name)
            } else {
                photos.send(name)
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
