// SPDX-License-Identifier: Apache-2.0

import Foundation

// Property wrappers of views. Views are never drawn, so most values are constant.

/// A number that would scale with the text: unchanged.
@propertyWrapper
public struct ScaledMetric<Value: BinaryFloatingPoint> {
    public let wrappedValue: Value

    public init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }

    public init(wrappedValue: Value, relativeTo textStyle: Font.TextStyle) {
        self.wrappedValue = wrappedValue
    }
}

/// A value during a gesture: always the initial one.
@propertyWrapper
public struct GestureState<Value> {
    public let wrappedValue: Value

    public init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }

    public init(initialValue: Value) {
        wrappedValue = initialValue
    }

    public var projectedValue: GestureState<Value> { self }
}

/// Identifies a group of views for transitions.
@propertyWrapper
public struct Namespace: Sendable {
    /// The name.
    public struct ID: Hashable, Sendable {
        private let value = UUID()
    }

    public let wrappedValue = ID()

    public init() {}
}

/// A value of a window, kept as long as the view.
@propertyWrapper
public struct SceneStorage<Value> {
    private let state: State<Value>

    public init(wrappedValue: Value, _ key: String) {
        state = State(wrappedValue: wrappedValue)
    }

    public init(_ key: String) where Value: ExpressibleByNilLiteral {
        state = State(wrappedValue: nil)
    }

    public var wrappedValue: Value {
        get { state.wrappedValue }
        nonmutating set { state.wrappedValue = newValue }
    }

    public var projectedValue: Binding<Value> { state.projectedValue }
}
