// SPDX-License-Identifier: Apache-2.0

/// What an app can read with `@Environment`.
@MainActor
public struct EnvironmentValues {
    /// The phase the app is in.
    public internal(set) var scenePhase: ScenePhase

    /// As they are now.
    static var current: EnvironmentValues {
        EnvironmentValues(scenePhase: ScenePhase(of: .shared))
    }
}

/// Reads a value of the environment, as it is at the time of the read.
@propertyWrapper @MainActor @preconcurrency
public struct Environment<Value> {
    private let keyPath: KeyPath<EnvironmentValues, Value>

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {
        self.keyPath = keyPath
    }

    public var wrappedValue: Value {
        EnvironmentValues.current[keyPath: keyPath]
    }
}
