// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Layouts of the app. Their methods are never called.

/// The arrangement of views.
public protocol Layout: Animatable {
    associatedtype Cache = Void
    typealias Subviews = LayoutSubviews

    func makeCache(subviews: Subviews) -> Cache
    func updateCache(_ cache: inout Cache, subviews: Subviews)
    func sizeThatFits(
        proposal: ProposedViewSize, subviews: Subviews, cache: inout Cache
    ) -> CGSize
    func placeSubviews(
        in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout Cache)
}

extension Layout {
    public func updateCache(_ cache: inout Cache, subviews: Subviews) {
        cache = makeCache(subviews: subviews)
    }

    @MainActor public func callAsFunction<Content: View>(
        @ViewBuilder _ content: () -> Content
    ) -> some View { EmptyView() }
}

extension Layout where Cache == Void {
    public func makeCache(subviews: Subviews) {}
}

/// The views of a layout: empty.
public struct LayoutSubviews: RandomAccessCollection, Equatable, Sendable {
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public var layoutDirection: LayoutDirection { .leftToRight }

    public subscript(index: Int) -> LayoutSubview { LayoutSubview() }
}

/// A view of a layout.
public struct LayoutSubview: Equatable, Sendable {
    public var priority: Double { 0 }
    public var spacing: ViewSpacing { ViewSpacing() }

    public subscript<Key: LayoutValueKey>(key: Key.Type) -> Key.Value { Key.defaultValue }

    public func sizeThatFits(_ proposal: ProposedViewSize) -> CGSize { .zero }
    public func dimensions(in proposal: ProposedViewSize) -> ViewDimensions { ViewDimensions() }
    public func place(
        at position: CGPoint, anchor: UnitPoint = .topLeading, proposal: ProposedViewSize
    ) {}
}

/// A value that a view has for its layout.
public protocol LayoutValueKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

/// The preferred distances of a view.
public struct ViewSpacing: Sendable {
    public static let zero = ViewSpacing()

    public init() {}

    public func distance(to next: ViewSpacing, along axis: Axis) -> CGFloat { 0 }
}

/// A size that a view is offered.
public struct ProposedViewSize: Equatable, Sendable {
    public var width: CGFloat?
    public var height: CGFloat?

    public init(width: CGFloat?, height: CGFloat?) {
        self.width = width
        self.height = height
    }

    public init(_ size: CGSize) {
        self.init(width: size.width, height: size.height)
    }

    public static let zero = Self(width: 0, height: 0)
    public static let unspecified = Self(width: nil, height: nil)
    public static let infinity = Self(width: .infinity, height: .infinity)

    public func replacingUnspecifiedDimensions(
        by size: CGSize = CGSize(width: 10, height: 10)
    ) -> CGSize {
        CGSize(width: width ?? size.width, height: height ?? size.height)
    }
}

extension View {
    public func layoutValue<Key: LayoutValueKey>(
        key: Key.Type, value: Key.Value
    ) -> some View { self }
}

/// A layout of Apple, of no size.
public protocol BuiltInLayout: Layout where Cache == Void {}

extension BuiltInLayout {
    public func sizeThatFits(
        proposal: ProposedViewSize, subviews: Subviews, cache: inout Void
    ) -> CGSize { .zero }
    public func placeSubviews(
        in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout Void
    ) {}
}

public struct HStackLayout: BuiltInLayout, Sendable {
    public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil) {}
}

public struct VStackLayout: BuiltInLayout, Sendable {
    public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil) {}
}

public struct ZStackLayout: BuiltInLayout, Sendable {
    public init(alignment: Alignment = .center) {}
}

public struct AnyLayout: BuiltInLayout, Sendable {
    public init(_ layout: some Layout) {}
}
