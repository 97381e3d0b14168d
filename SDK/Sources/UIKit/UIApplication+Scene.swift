// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation
import Synchronization

extension UIApplication {
    /// The scene of the app, once it is connected.
    public var connectedScenes: Set<UIScene> {
        guard let scene = scene.withLock({ $0 }) else { return [] }
        return [scene]
    }

    /// Forwards the app's life-cycle events to the scene delegate.
    func observeScene() {
        var before = applicationState
        stateObservers.append { [weak self] state in
            defer { before = state }
            self?.tellScene(before, state)
        }
    }

    private func tellScene(_ before: State, _ now: State) {
        if sceneDelegate == nil { connectScene() }
        guard let scene = scene.withLock({ $0 }), let delegate = sceneDelegate else { return }
        scene.activationState = UIScene.ActivationState(now)
        switch now {
        case .inactive where before == .active:
            delegate.sceneWillResignActive(scene)
            post(UIScene.willDeactivateNotification, of: scene)
        case .inactive:
            delegate.sceneWillEnterForeground(scene)
            post(UIScene.willEnterForegroundNotification, of: scene)
        case .active:
            delegate.sceneDidBecomeActive(scene)
            post(UIScene.didActivateNotification, of: scene)
        case .background:
            delegate.sceneDidEnterBackground(scene)
            post(UIScene.didEnterBackgroundNotification, of: scene)
        }
    }

    private func post(_ name: NSNotification.Name, of scene: UIScene) {
        NotificationCenter.default.post(name: name, object: scene)
    }

    /// Creates the delegate: of the class that the app names, else of `SceneDelegate` in its
    /// module, the class named by Info.plist in Xcode's template.
    private func connectScene() {
        guard let delegate else { return }
        let session = UISceneSession(configuration: "Default Configuration")
        let options = UIScene.ConnectionOptions()
        let configuration = delegate.application(
            self, configurationForConnecting: session, options: options)
        session.configuration = configuration
        let module = String(reflecting: type(of: delegate)).split(separator: ".").first ?? ""
        let type: AnyClass? =
            configuration.delegateClass ?? NSClassFromString("\(module).SceneDelegate")
        guard let type = type as? NSObject.Type,
            let sceneDelegate = NSObject.make(type) as? any UISceneDelegate
        else { return }
        InheritedDelegate.warn(of: type, "UISceneDelegate", runtime) {
            $0 is any UISceneDelegate.Type
        }
        let scene = UIWindowScene(session: session, connectionOptions: options)
        scene.delegate = sceneDelegate
        session.scene = scene
        self.sceneDelegate = sceneDelegate
        self.scene.withLock { $0 = scene }
        sceneDelegate.scene(scene, willConnectTo: session, options: options)
        post(UIScene.willConnectNotification, of: scene)
    }
}

extension UIScene.ActivationState {
    init(_ state: UIApplication.State) {
        switch state {
        case .active: self = .foregroundActive
        case .inactive: self = .foregroundInactive
        case .background: self = .background
        }
    }
}
