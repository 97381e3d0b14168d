// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
@_exported import UIKit

/// A plugin written as an app: mark a type `@main` and adopt this protocol.
///
/// The app is created, and its body evaluated, once when the process starts: the handlers of the
/// body's scenes are registered then. The body is evaluated again when the scene phase changes.
@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }

    init()
}

extension App {
    /// The implementation of `@main`: creates the app and registers its handlers.
    public static func main() {
        PluginRuntime.launch {
            UIApplication.shared.launch(app: Self.self)
        }
    }
}

extension UIApplication {
    /// Creates an app and launches it: first its delegate, if it adapts one, then its scenes.
    package func launch<Content: App>(app type: Content.Type) {
        let app = type.init()
        let contents = SceneContents(app.body)
        for handler in contents.backgroundTasks { handler.register(with: self) }
        launch()
        let changes = Changes(contents)
        stateObservers.append { _ in changes.update(SceneContents(app.body)) }
    }
}
