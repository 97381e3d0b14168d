// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Scrolling, margins and positions, without effect.

extension View {
    public func scrollTargetBehavior(_ behavior: some ScrollTargetBehavior) -> some View { self }
    public func scrollTargetLayout(isEnabled: Bool = true) -> some View { self }
    public func scrollPosition<ID: Hashable>(
        id: Binding<ID?>, anchor: UnitPoint? = nil
    ) -> some View { self }
    public func scrollPosition(
        _ position: Binding<ScrollPosition>, anchor: UnitPoint? = nil
    ) -> some View { self }
    public func defaultScrollAnchor(_ anchor: UnitPoint?) -> some View { self }
    public func scrollIndicators(
        _ visibility: ScrollIndicatorVisibility, axes: Axis.Set
    ) -> some View { self }
    public func scrollClipDisabled(_ disabled: Bool = true) -> some View { self }
    public func scrollBounceBehavior(
        _ behavior: ScrollBounceBehavior, axes: Axis.Set = .vertical
    ) -> some View { self }
    public func contentMargins(
        _ edges: Edge.Set = .all, _ length: CGFloat?,
        for placement: ContentMarginPlacement = .automatic
    ) -> some View { self }
    public func contentMargins(
        _ edges: Edge.Set = .all, _ insets: EdgeInsets,
        for placement: ContentMarginPlacement = .automatic
    ) -> some View { self }
    public func contentMargins(
        _ length: CGFloat, for placement: ContentMarginPlacement = .automatic
    ) -> some View { self }
    public func safeAreaPadding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View {
        self
    }
    public func safeAreaPadding(_ length: CGFloat) -> some View { self }
    public func safeAreaPadding(_ insets: EdgeInsets) -> some View { self }
    public func safeAreaInset(
        edge: VerticalEdge, alignment: HorizontalAlignment, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> some View
    ) -> some View { self }
    public func safeAreaInset(
        edge: HorizontalEdge, alignment: VerticalAlignment = .center, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> some View
    ) -> some View { self }
    public func coordinateSpace(name: some Hashable) -> some View { self }
    public func coordinateSpace(_ name: NamedCoordinateSpace) -> some View { self }
    public func alignmentGuide(
        _ guide: HorizontalAlignment, computeValue: @escaping (ViewDimensions) -> CGFloat
    ) -> some View { self }
    public func alignmentGuide(
        _ guide: VerticalAlignment, computeValue: @escaping (ViewDimensions) -> CGFloat
    ) -> some View { self }
    public func containerRelativeFrame(
        _ axes: Axis.Set, count: Int, span: Int = 1, spacing: CGFloat,
        alignment: Alignment = .center
    ) -> some View { self }
    public func containerRelativeFrame(
        _ axes: Axis.Set, alignment: Alignment = .center,
        _ length: @escaping (CGFloat, Axis) -> CGFloat
    ) -> some View { self }
    public func position(_ position: CGPoint) -> some View { self }
    public func geometryGroup() -> some View { self }
    /// `action` is never called.
    public func onGeometryChange<Value: Equatable & Sendable>(
        for type: Value.Type, of transform: @escaping @Sendable (GeometryProxy) -> Value,
        action: @escaping (_ newValue: Value) -> Void
    ) -> some View { self }
    public func onScrollVisibilityChange(
        threshold: Double = 0.5, _ action: @escaping (Bool) -> Void
    ) -> some View { self }
}

/// The positions at which scrolling stops.
@MainActor @preconcurrency
public protocol ScrollTargetBehavior {}

public struct PagingScrollTargetBehavior: ScrollTargetBehavior { public init() {} }

public struct ViewAlignedScrollTargetBehavior: ScrollTargetBehavior {
    /// The maximum number of views that scrolling may pass.
    public enum LimitBehavior: Sendable {
        case automatic, always, never, alwaysByFew, alwaysByOne
    }

    public init(limitBehavior: LimitBehavior = .automatic) {}
}

extension ScrollTargetBehavior where Self == PagingScrollTargetBehavior {
    public static var paging: Self { Self() }
}

extension ScrollTargetBehavior where Self == ViewAlignedScrollTargetBehavior {
    public static var viewAligned: Self { Self() }
    public static func viewAligned(limitBehavior: Self.LimitBehavior) -> Self {
        Self(limitBehavior: limitBehavior)
    }
}

public enum ScrollBounceBehavior: Sendable {
    case automatic, always, basedOnSize
}

public enum ContentMarginPlacement: Sendable {
    case automatic, scrollContent, scrollIndicators
}

/// The scroll position. Nothing scrolls.
public struct ScrollPosition: Equatable, Sendable {
    public init(edge: Edge) {}
    public init<ID: Hashable & Sendable>(idType: ID.Type = ID.self) {}
    public init<ID: Hashable & Sendable>(id: ID, anchor: UnitPoint? = nil) {}

    public var isPositionedByUser: Bool { false }
    public mutating func scrollTo(edge: Edge) {}
    public mutating func scrollTo<ID: Hashable & Sendable>(id: ID, anchor: UnitPoint? = nil) {}
    public mutating func scrollTo(y: CGFloat) {}
    public func viewID<ID: Hashable & Sendable>(type: ID.Type) -> ID? { nil }
}

/// The origin of coordinates.
public enum CoordinateSpace: Hashable {
    case global, local
    case named(AnyHashable)
}

/// The origin of coordinates.
public protocol CoordinateSpaceProtocol {
    var coordinateSpace: CoordinateSpace { get }
}

public struct LocalCoordinateSpace: CoordinateSpaceProtocol, Sendable {
    public init() {}
    public var coordinateSpace: CoordinateSpace { .local }
}

public struct GlobalCoordinateSpace: CoordinateSpaceProtocol, Sendable {
    public init() {}
    public var coordinateSpace: CoordinateSpace { .global }
}

public struct NamedCoordinateSpace: CoordinateSpaceProtocol, Equatable {
    let name: AnyHashable

    public var coordinateSpace: CoordinateSpace { .named(name) }
}

extension CoordinateSpaceProtocol where Self == LocalCoordinateSpace {
    public static var local: Self { Self() }
}

extension CoordinateSpaceProtocol where Self == GlobalCoordinateSpace {
    public static var global: Self { Self() }
}

extension CoordinateSpaceProtocol where Self == NamedCoordinateSpace {
    public static func named(_ name: some Hashable) -> Self { Self(name: AnyHashable(name)) }
    public static var scrollView: Self { Self(name: "scrollView") }
}

extension GeometryProxy {
    /// Empty.
    public func frame(in coordinateSpace: CoordinateSpace) -> CGRect { .zero }
    /// Empty.
    public func frame(in coordinateSpace: some CoordinateSpaceProtocol) -> CGRect { .zero }
    public func bounds(of coordinateSpace: NamedCoordinateSpace) -> CGRect? { nil }
}

/// The size of a view: zero.
public struct ViewDimensions: Equatable, Sendable {
    public var width: CGFloat { 0 }
    public var height: CGFloat { 0 }

    public subscript(guide: HorizontalAlignment) -> CGFloat { 0 }
    public subscript(guide: VerticalAlignment) -> CGFloat { 0 }
}

/// The position of a view relative to the visible part.
public enum ScrollTransitionPhase: Equatable, Sendable {
    case topLeading, identity, bottomTrailing

    public var isIdentity: Bool { self == .identity }

    public var value: Double {
        switch self {
        case .topLeading: -1
        case .identity: 0
        case .bottomTrailing: 1
        }
    }
}

/// The course of a transition.
public struct ScrollTransitionConfiguration: Sendable {
    public static let interactive = Self()
    public static let identity = Self()
    public static let animated = Self()

    public static func animated(_ animation: Animation) -> Self { Self() }

    public func animation(_ animation: Animation) -> Self { self }
    public func threshold(_ threshold: Threshold) -> Self { self }

    /// The visible part at which a transition ends.
    public struct Threshold: Sendable {
        public static let visible = Self()
        public static let hidden = Self()
        public static let centered = Self()

        public static func visible(_ amount: Double) -> Self { Self() }
    }
}
