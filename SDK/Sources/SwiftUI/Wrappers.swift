// SPDX-License-Identifier: Apache-2.0

import Foundation

// Property wrappers of views. A view is never drawn, so that most have one value.

/// A number that would grow with the text: it is as it was written.
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

/// A value while a finger moves: the first one.
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

/// Names a group of views that turn into each other.
@propertyWrapper
public struct Namespace: Sendable {
    /// The name.
    public struct ID: Hashable, Sendable {
        private let value = UUID()
    }

    public let wrappedValue = ID()

    public init() {}
}

/// A value of a window, which is kept as long as the view.
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
