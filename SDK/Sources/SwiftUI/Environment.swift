// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Observation

/// What an app can read with `@Environment`. All but the scene phase is constant.
@MainActor @preconcurrency
public struct EnvironmentValues {
    /// The phase the app is in.
    public internal(set) var scenePhase: ScenePhase
    private var values: [ObjectIdentifier: Any] = [:]

    init(scenePhase: ScenePhase) {
        self.scenePhase = scenePhase
    }

    /// As they are now.
    static var current: EnvironmentValues {
        EnvironmentValues(scenePhase: ScenePhase(of: .shared))
    }

    /// A custom value of the app.
    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    public var colorScheme: ColorScheme { .light }
    public var horizontalSizeClass: UserInterfaceSizeClass? { .compact }
    public var verticalSizeClass: UserInterfaceSizeClass? { .regular }
    public var locale: Locale { .current }
    public var calendar: Calendar { .current }
    public var timeZone: TimeZone { .current }
    /// Does nothing: nothing is shown.
    public var dismiss: DismissAction { DismissAction() }
    /// Writes the URL to the log, as `UIApplication.open` does.
    public var openURL: OpenURLAction { OpenURLAction() }
}

/// A key for a custom value.
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

/// Does nothing.
@MainActor @preconcurrency
public struct DismissAction: Sendable {
    public func callAsFunction() {}
}

/// Opens nothing.
@MainActor @preconcurrency
public struct OpenURLAction: Sendable {
    public func callAsFunction(_ url: URL) {
        UIApplication.shared.open(url)
    }
}

/// Reads a value of the environment, as it is at the time of the read.
@propertyWrapper @MainActor @preconcurrency
public struct Environment<Value> {
    private let read: @MainActor () -> Value

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {
        read = { EnvironmentValues.current[keyPath: keyPath] }
    }

    /// An object from the environment. It is never set, because no view is drawn.
    public init(_ objectType: Value.Type) where Value: AnyObject & Observable {
        read = { fatalError("There is no \(Value.self) in the environment: bgrun draws no views.") }
    }

    public var wrappedValue: Value { read() }
}
