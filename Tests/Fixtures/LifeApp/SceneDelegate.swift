// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit

/// As in Xcode's template, with a log line for each call.
class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = (scene as? UIWindowScene) else { return }
        note("scene willConnect \(scene.activationState) \(UIApplication.shared.connectedScenes.count)")
        window = UIWindow(windowScene: windowScene)
        window?.rootViewController = ViewController()
        window?.makeKeyAndVisible()
    }

    func sceneDidDisconnect(_ scene: UIScene) { note("scene didDisconnect") }
    func sceneDidBecomeActive(_ scene: UIScene) { note("scene didBecomeActive") }
    func sceneWillResignActive(_ scene: UIScene) { note("scene willResignActive") }
    func sceneWillEnterForeground(_ scene: UIScene) { note("scene willEnterForeground") }
    func sceneDidEnterBackground(_ scene: UIScene) { note("scene didEnterBackground") }
}

class ViewController: UIViewController {
    override func viewDidLoad() {
        super.viewDidLoad()
        note("viewDidLoad")
    }
    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        note("viewWillAppear")
    }
}

/// An app whose scene configuration comes from its delegate, not from its `Info.plist`.
final class SceneAppDelegate: LifeDelegate, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        note("configurationForConnecting")
        let configuration = UISceneConfiguration(name: nil, sessionRole: connectingSceneSession.role)
        configuration.delegateClass = SceneDelegate.self
        return configuration
    }
}
