// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Further animations. Nothing moves: the new value takes effect at once.

extension Animation {
    public static let snappy = Animation.default
    public static let interactiveSpring = Animation.default
    public static let interpolatingSpring = Animation.default
    public static func snappy(
        duration: TimeInterval = 0.5, extraBounce: Double = 0
    ) -> Animation { .default }
    public static func bouncy(
        duration: TimeInterval = 0.5, extraBounce: Double = 0
    ) -> Animation { .default }
    public static func smooth(
        duration: TimeInterval = 0.5, extraBounce: Double = 0
    ) -> Animation { .default }
    public static func interactiveSpring(
        response: Double = 0.15, dampingFraction: Double = 0.86, blendDuration: TimeInterval = 0.25
    ) -> Animation { .default }
    public static func interactiveSpring(
        duration: TimeInterval, extraBounce: Double = 0, blendDuration: TimeInterval = 0.25
    ) -> Animation { .default }
    public static func interpolatingSpring(
        mass: Double = 1, stiffness: Double, damping: Double, initialVelocity: Double = 0
    ) -> Animation { .default }
    public static func timingCurve(
        _ p1x: Double, _ p1y: Double, _ p2x: Double, _ p2y: Double, duration: TimeInterval = 0.35
    ) -> Animation { .default }
}

/// The end of an animation.
public enum AnimationCompletionCriteria: Hashable, Sendable {
    case logicallyComplete, removed
}

/// Calls `body`, then `completion` at once: nothing is animated.
public func withAnimation<Result>(
    _ animation: Animation? = .default,
    completionCriteria: AnimationCompletionCriteria = .logicallyComplete,
    _ body: () throws -> Result, completion: @escaping () -> Void
) rethrows -> Result {
    let result = try body()
    completion()
    return result
}

extension ContentTransition {
    public static var symbolEffect: ContentTransition { .identity }
    public static func symbolEffect(
        _ effect: SymbolEffect, options: SymbolEffectOptions = .default
    ) -> ContentTransition { .identity }
    public static func numericText(value: Double) -> ContentTransition { .numericText() }
}

extension AnyTransition {
    public static func scale(scale: CGFloat, anchor: UnitPoint = .center) -> AnyTransition {
        .identity
    }
    public static func offset(x: CGFloat = 0, y: CGFloat = 0) -> AnyTransition { .identity }
    public static func offset(_ offset: CGSize) -> AnyTransition { .identity }
    public static func modifier<Modifier: ViewModifier>(
        active: Modifier, identity: Modifier
    ) -> AnyTransition { .identity }
}

/// The speed and repetition of a symbol effect.
public struct SymbolEffectOptions: Equatable, Sendable {
    public static let `default` = Self()
    public static let repeating = Self()
    public static let nonRepeating = Self()
    public static func `repeat`(_ count: Int) -> Self { Self() }
    public static func speed(_ speed: Double) -> Self { Self() }

    public func `repeat`(_ count: Int) -> Self { self }
    public func speed(_ speed: Double) -> Self { self }
    public var repeating: Self { self }
    public var nonRepeating: Self { self }
}

extension SymbolEffect {
    public static var replace: SymbolEffect { .appear }
    public static var automatic: SymbolEffect { .appear }

    public var up: SymbolEffect { self }
    public var down: SymbolEffect { self }
    public var upUp: SymbolEffect { self }
    public var downUp: SymbolEffect { self }
    public var offUp: SymbolEffect { self }
    public var byLayer: SymbolEffect { self }
    public var wholeSymbol: SymbolEffect { self }
    public var iterative: SymbolEffect { self }
    public var cumulative: SymbolEffect { self }
    public var reversing: SymbolEffect { self }
    public var clockwise: SymbolEffect { self }
    public var counterClockwise: SymbolEffect { self }
}

extension SensoryFeedback {
    /// The strength of haptic feedback.
    public enum Weight: Sendable {
        case light, medium, heavy
    }

    public static func impact(weight: Weight = .medium, intensity: Double = 1) -> SensoryFeedback {
        .impact
    }
}

extension View {
    public func symbolEffect(
        _ effect: SymbolEffect, options: SymbolEffectOptions, isActive: Bool = true
    ) -> some View { self }
    public func symbolEffect<Value: Equatable>(
        _ effect: SymbolEffect, options: SymbolEffectOptions, value: Value
    ) -> some View { self }
    public func sensoryFeedback<Value: Equatable>(
        trigger: Value, _ feedback: @escaping (Value, Value) -> SensoryFeedback?
    ) -> some View { self }
    public func sensoryFeedback<Value: Equatable>(
        _ feedback: SensoryFeedback, trigger: Value,
        condition: @escaping (_ oldValue: Value, _ newValue: Value) -> Bool
    ) -> some View { self }
    public func phaseAnimator<Phase: Equatable>(
        _ phases: some Sequence<Phase>,
        @ViewBuilder content: @escaping (PlaceholderContentView, Phase) -> some View,
        animation: @escaping (Phase) -> Animation? = { _ in .default }
    ) -> some View { self }
    public func phaseAnimator<Phase: Equatable>(
        _ phases: some Sequence<Phase>, trigger: some Equatable,
        @ViewBuilder content: @escaping (PlaceholderContentView, Phase) -> some View,
        animation: @escaping (Phase) -> Animation? = { _ in .default }
    ) -> some View { self }
    public func transaction(_ transform: @escaping (inout Transaction) -> Void) -> some View {
        self
    }
    /// `transition` is never called.
    public func scrollTransition(
        _ configuration: ScrollTransitionConfiguration = .interactive, axis: Axis? = nil,
        transition: @escaping (PlaceholderContentView, ScrollTransitionPhase) -> some View
    ) -> some View { self }
    public func visualEffect(
        _ effect: @escaping (PlaceholderContentView, GeometryProxy) -> some View
    ) -> some View { self }
    public func matchedGeometryEffect<ID: Hashable>(
        id: ID, in namespace: Namespace.ID, properties: MatchedGeometryProperties,
        anchor: UnitPoint = .center, isSource: Bool = true
    ) -> some View { self }
    public func matchedGeometryEffect<ID: Hashable>(
        id: ID, in namespace: Namespace.ID, anchor: UnitPoint = .center, isSource: Bool
    ) -> some View { self }
}

/// A view that passes through phases; the first is never shown.
public struct PhaseAnimator<Phase: Equatable, Content: View>: PrimitiveView {
    public init(
        _ phases: some Sequence<Phase>, @ViewBuilder content: @escaping (Phase) -> Content,
        animation: @escaping (Phase) -> Animation? = { _ in .default }
    ) {}
    public init(
        _ phases: some Sequence<Phase>, trigger: some Equatable,
        @ViewBuilder content: @escaping (Phase) -> Content,
        animation: @escaping (Phase) -> Animation? = { _ in .default }
    ) {}
}

/// The view that a modifier of an animation would change.
public struct PlaceholderContentView: PrimitiveView {}

/// The shared properties of two views during a transition.
public struct MatchedGeometryProperties: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let position = Self(rawValue: 1)
    public static let size = Self(rawValue: 2)
    public static let frame: Self = [.position, .size]
}

/// Values between which an animation would pass.
public protocol VectorArithmetic: AdditiveArithmetic {
    mutating func scale(by rhs: Double)
    var magnitudeSquared: Double { get }
}

extension Double: VectorArithmetic {
    public mutating func scale(by rhs: Double) {
        self *= rhs
    }
    public var magnitudeSquared: Double { self * self }
}

extension Float: VectorArithmetic {
    public mutating func scale(by rhs: Double) {
        self *= Float(rhs)
    }
    public var magnitudeSquared: Double { Double(self * self) }
}

extension CGFloat: VectorArithmetic {
    public mutating func scale(by rhs: Double) {
        self *= CGFloat(rhs)
    }
    public var magnitudeSquared: Double { Double(self * self) }
}

/// A value that an animation would change.
public protocol Animatable {
    associatedtype AnimatableData: VectorArithmetic = EmptyAnimatableData
    var animatableData: AnimatableData { get set }
}

extension Animatable where AnimatableData == EmptyAnimatableData {
    public var animatableData: EmptyAnimatableData {
        get { EmptyAnimatableData() }
        set { _ = newValue }
    }
}

/// An empty value for animations.
public struct EmptyAnimatableData: VectorArithmetic, Sendable {
    public init() {}
    public static var zero: Self { Self() }
    public static func + (left: Self, right: Self) -> Self { left }
    public static func - (left: Self, right: Self) -> Self { left }
    public mutating func scale(by rhs: Double) {}
    public var magnitudeSquared: Double { 0 }
}

/// A pair of animated values.
public struct AnimatablePair<First: VectorArithmetic, Second: VectorArithmetic>: VectorArithmetic {
    public var first: First
    public var second: Second

    public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    public static var zero: Self { Self(.zero, .zero) }
    public static func + (left: Self, right: Self) -> Self {
        Self(left.first + right.first, left.second + right.second)
    }
    public static func - (left: Self, right: Self) -> Self {
        Self(left.first - right.first, left.second - right.second)
    }
    public mutating func scale(by rhs: Double) {
        first.scale(by: rhs)
        second.scale(by: rhs)
    }
    public var magnitudeSquared: Double { first.magnitudeSquared + second.magnitudeSquared }
}
