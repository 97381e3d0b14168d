// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation

extension UIApplication {
    /// The scene of the app, once it is connected.
    public var connectedScenes: Set<UIScene> {
        guard let scene else { return [] }
        return [scene.scene]
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
        if scene == nil { connectScene() }
        guard let (scene, delegate) = scene else { return }
        scene.activationState = UIScene.ActivationState(now)
        switch now {
        case .inactive where before == .active: delegate.sceneWillResignActive(scene)
        case .inactive: delegate.sceneWillEnterForeground(scene)
        case .active: delegate.sceneDidBecomeActive(scene)
        case .background: delegate.sceneDidEnterBackground(scene)
        }
    }

    /// Creates the delegate: of the class that the app names, else of `SceneDelegate` in its
    /// module, the class named by Info.plist in Xcode's template.
    private func connectScene() {
        guard let delegate else { return }
        let session = UISceneSession()
        let options = UIScene.ConnectionOptions()
        let configuration = delegate.application(
            self, configurationForConnecting: session, options: options)
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
        self.scene = (scene, sceneDelegate)
        sceneDelegate.scene(scene, willConnectTo: session, options: options)
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
