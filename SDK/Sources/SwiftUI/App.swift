// SPDX-License-Identifier: Apache-2.0

@_exported import UIKit

/// A plugin written as an app: mark a type `@main` and adopt this.
///
/// The app is made, and its body asked for, once when the process starts: the handlers of the body's
/// scenes are registered then. The body is asked for again when the scene phase changes.
@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }

    init()
}

/// Makes an app delegate, and holds it while the process lives.
@propertyWrapper @MainActor @preconcurrency
public struct UIApplicationDelegateAdaptor<DelegateType: NSObject & UIApplicationDelegate> {
    public let wrappedValue: DelegateType

    public init(_ type: DelegateType.Type = DelegateType.self) {
        fatalError()
    }
}
