// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Observation

/// The values for `@Environment`. All except the scene phase are constant: a view that sets a value
/// is not drawn.
@MainActor @preconcurrency
public struct EnvironmentValues {
    /// The phase the app is in.
    public internal(set) var scenePhase: ScenePhase
    private var values: [ObjectIdentifier: Any] = [:]

    init(scenePhase: ScenePhase) {
        self.scenePhase = scenePhase
    }

    /// The current values.
    static var current: EnvironmentValues {
        EnvironmentValues(scenePhase: ScenePhase(of: .shared))
    }

    /// A custom value of the app.
    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    public var colorScheme = ColorScheme.light
    public var horizontalSizeClass: UserInterfaceSizeClass? = .compact
    public var verticalSizeClass: UserInterfaceSizeClass? = .regular
    public var locale = Locale.current
    public var calendar = Calendar.current
    public var timeZone = TimeZone.current
    public var dynamicTypeSize = DynamicTypeSize.large
    public var isEnabled = true
    public var isPresented: Bool { false }
    public var isFocused: Bool { false }
    public var isSearching: Bool { false }
    public var displayScale: CGFloat { 1 }
    public var layoutDirection = LayoutDirection.leftToRight
    /// Does nothing: nothing is shown.
    public var presentationMode: Binding<PresentationMode> {
        .constant(PresentationMode())
    }
    /// nil unless the app has set it: lists are never edited.
    public var editMode: Binding<EditMode>?
    /// nil: there is no manual refresh.
    public var refresh: RefreshAction? { nil }
    /// Does nothing: there is no store.
    public var requestReview: RequestReviewAction { RequestReviewAction() }
    /// Does nothing: nothing is shown.
    public var dismissSearch: DismissAction { DismissAction() }
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

/// Does nothing.
@MainActor @preconcurrency
public struct RequestReviewAction: Sendable {
    public func callAsFunction() {}
}

/// Does nothing.
public struct RefreshAction: Sendable {
    public func callAsFunction() async {}
}

/// The presentation of a view: never presented.
public struct PresentationMode: Sendable {
    public var isPresented: Bool { false }

    public mutating func dismiss() {}
}

/// Whether a list is edited.
public enum EditMode: Hashable, Sendable {
    case inactive, transient, active

    public var isEditing: Bool { self != .inactive }
}

/// The size of text.
public enum DynamicTypeSize: Hashable, Comparable, CaseIterable, Sendable {
    case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
    case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5

    public var isAccessibilitySize: Bool { self >= .accessibility1 }
}

/// The direction of text.
public enum LayoutDirection: Hashable, CaseIterable, Sendable {
    case leftToRight, rightToLeft
}

/// Opens nothing.
@MainActor @preconcurrency
public struct OpenURLAction: Sendable {
    public func callAsFunction(_ url: URL) {
        UIApplication.shared.open(url)
    }
}

/// Reads the current value of the environment.
@propertyWrapper @MainActor @preconcurrency
public struct Environment<Value> {
    private let read: @MainActor () -> Value

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {
        read = { EnvironmentValues.current[keyPath: keyPath] }
    }

    /// An object from the environment. It is never set, because no view is drawn.
    public init(_ objectType: Value.Type) where Value: AnyObject & Observable {
        read = { fatalError("\(Value.self) is missing in the environment: bgrun draws no views.") }
    }

    /// nil: no view sets an object.
    public init<Object: AnyObject & Observable>(_ objectType: Object.Type)
    where Value == Object? {
        read = { nil }
    }

    public var wrappedValue: Value { read() }
}
