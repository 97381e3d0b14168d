// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Gestures, which never occur: no closure is called.

/// A movement of fingers.
@MainActor @preconcurrency
public protocol Gesture<Value> {
    associatedtype Value
}

extension Gesture {
    public func onChanged(_ action: @escaping (Value) -> Void) -> Self { self }
    public func onEnded(_ action: @escaping (Value) -> Void) -> Self { self }
    public func updating<State>(
        _ state: GestureState<State>,
        body: @escaping (Value, inout State, inout Transaction) -> Void
    ) -> Self { self }
}

/// One tap or more.
public struct TapGesture: Gesture {
    public typealias Value = Void

    public init(count: Int = 1) {}
}

/// A long press.
public struct LongPressGesture: Gesture {
    public typealias Value = Bool

    public init(minimumDuration: Double = 0.5, maximumDistance: CGFloat = 10) {}
}

/// A drag.
public struct DragGesture: Gesture {
    /// The position of the drag.
    public struct Value: Equatable, Sendable {
        public let time: Date
        public let location: CGPoint
        public let startLocation: CGPoint
        public let translation: CGSize
        public let predictedEndTranslation: CGSize
    }

    public init(minimumDistance: CGFloat = 10) {}
}

/// A pinch.
public struct MagnificationGesture: Gesture {
    public typealias Value = CGFloat

    public init(minimumScaleDelta: CGFloat = 0.01) {}
}

/// A pinch.
public struct MagnifyGesture: Gesture {
    /// The scale of the pinch.
    public struct Value: Equatable, Sendable {
        public let time: Date
        public let magnification: CGFloat
        public let velocity: CGFloat
        public let startAnchor: UnitPoint
        public let startLocation: CGPoint
    }

    public init(minimumScaleDelta: CGFloat = 0.01) {}
}

/// A rotation.
public struct RotateGesture: Gesture {
    /// The angle of the rotation.
    public struct Value: Equatable, Sendable {
        public let time: Date
        public let rotation: Angle
        public let velocity: Angle
        public let startAnchor: UnitPoint
        public let startLocation: CGPoint
    }

    public init(minimumAngleDelta: Angle = .degrees(1)) {}
}

/// Two gestures at the same time.
public struct SimultaneousGesture<First: Gesture, Second: Gesture>: Gesture {
    /// The values of both.
    public struct Value {
        public let first: First.Value?
        public let second: Second.Value?
    }

    public init(_ first: First, _ second: Second) {}
}

/// One gesture, then another.
public struct SequenceGesture<First: Gesture, Second: Gesture>: Gesture {
    /// The gesture in progress.
    public enum Value {
        case first(First.Value)
        case second(First.Value, Second.Value?)
    }

    public init(_ first: First, _ second: Second) {}
}

/// One gesture or another.
public struct ExclusiveGesture<First: Gesture, Second: Gesture>: Gesture {
    /// The gesture that occurred.
    public enum Value {
        case first(First.Value)
        case second(Second.Value)
    }

    public init(_ first: First, _ second: Second) {}
}

extension Gesture {
    public func simultaneously<Other: Gesture>(
        with other: Other
    ) -> SimultaneousGesture<Self, Other> { SimultaneousGesture(self, other) }
    public func sequenced<Other: Gesture>(
        before other: Other
    ) -> SequenceGesture<Self, Other> { SequenceGesture(self, other) }
    public func exclusively<Other: Gesture>(
        before other: Other
    ) -> ExclusiveGesture<Self, Other> { ExclusiveGesture(self, other) }
}

extension View {
    public func gesture(_ gesture: some Gesture) -> some View { self }
    public func simultaneousGesture(_ gesture: some Gesture) -> some View { self }
    public func highPriorityGesture(_ gesture: some Gesture) -> some View { self }
    public func onLongPressGesture(
        minimumDuration: Double, perform action: @escaping () -> Void
    ) -> some View { self }
    public func onHover(perform action: @escaping (Bool) -> Void) -> some View { self }
}
