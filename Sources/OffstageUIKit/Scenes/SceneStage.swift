// SPDX-License-Identifier: Apache-2.0
import Foundation
import OffstageCore

/// The app's one window scene: whether it exists, and the calls to its delegate.
@MainActor
final class SceneStage {
    static let shared = SceneStage()

    /// Whether the app uses the scene life cycle, and whether the scene is connected.
    private(set) var standing = SceneStanding.none
    private(set) var scene: UIWindowScene?
    /// Retained while the scene is connected.
    private var delegate: (any UISceneDelegate)?
    private var manifest: SceneManifest?
    private let session = UISceneSession()
    /// Whether the scene has ever been in the foreground: until then, `applicationState` is background, as Apple
    /// documents.
    private(set) var hasBeenInFront = false

    private init() {}

    /// Reads the manifest from the app's bundle, before the launch.
    func readManifest() {
        manifest = SceneManifest.ofThisApp()
        guard let manifest else { return }
        standing = .unconnected
        session.configuration = UISceneConfiguration(name: manifest.configuration, sessionRole: session.role)
    }

    /// Asks the delegate of an app without a manifest whether it configures scenes anyway. The default implementation
    /// returns the session's configuration.
    ///
    /// - Returns: whether the delegate configures scenes.
    func askForConfiguration(_ delegate: any UIApplicationDelegate) -> Bool {
        guard standing == .none else { return false }
        let given = session.configuration
        let configuration = delegate.application(
            .shared,
            configurationForConnecting: session,
            options: UIScene.ConnectionOptions()
        )
        guard configuration !== given else { return false }
        session.configuration = configuration
        standing = .unconnected
        return true
    }

    func perform(_ call: SceneCall, _ appDelegate: (any UIApplicationDelegate)?) {
        switch call {
        case .willConnect: connect(appDelegate)
        case .willEnterForeground:
            if let scene { delegate?.sceneWillEnterForeground(scene) }
            become(.foregroundInactive)
        case .didBecomeActive:
            hasBeenInFront = true
            become(.foregroundActive)
            if let scene { delegate?.sceneDidBecomeActive(scene) }
        case .willResignActive:
            if let scene { delegate?.sceneWillResignActive(scene) }
            become(.foregroundInactive)
        case .didEnterBackground:
            become(.background)
            if let scene { delegate?.sceneDidEnterBackground(scene) }
        case .didDisconnect:
            if let scene { delegate?.sceneDidDisconnect(scene) }
            become(.unattached)
            standing = .unconnected
        }
        NotificationCenter.default.post(name: NSNotification.Name(call.notification), object: scene)
        if call == .didDisconnect { (scene, delegate) = (nil, nil) }
    }

    private func become(_ state: UIScene.ActivationState) { scene?.standing = state }

    private func connect(_ appDelegate: (any UIApplicationDelegate)?) {
        let options = UIScene.ConnectionOptions()
        // The delegate of an app without a manifest has already been asked.
        if manifest != nil, let appDelegate {
            session.configuration = appDelegate.application(
                .shared,
                configurationForConnecting: session,
                options: options
            )
        }
        let scene = UIWindowScene(session: session, connectionOptions: options)
        session.scene = scene
        self.scene = scene
        standing = .connected
        become(.background)
        delegate = makeDelegate(appDelegate)
        scene.delegate = delegate
        delegate?.scene(scene, willConnectTo: session, options: options)
    }

    private func makeDelegate(_ appDelegate: (any UIApplicationDelegate)?) -> (any UISceneDelegate)? {
        let module = appDelegate.map { String(reflecting: type(of: $0)) }?.prefix { $0 != "." }
        let name = manifest?.delegateClass(in: module.map(String.init) ?? "")
        guard let type = session.configuration.delegateClass ?? name.flatMap({ NSClassFromString($0) }) else {
            if let name { Stage.complain("There is no class \(name), which Info.plist names as the scene's delegate.") }
            return nil
        }
        guard let type = type as? NSObject.Type, let object = DelegateClass.make(type) as? any UISceneDelegate else {
            Stage.complain(
                "\(type) cannot be the scene's delegate: it is not a subclass of NSObject that conforms to UISceneDelegate."
            )
            return nil
        }
        return object
    }
}
