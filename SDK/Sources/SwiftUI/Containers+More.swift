// SPDX-License-Identifier: Apache-2.0

// Less common containers. Their content is never evaluated.

/// Rows with rows below them.
public struct OutlineGroup<Data, Content: View>: PrimitiveView {
    public init(
        _ data: Data, children: KeyPath<Data.Element, Data?>,
        @ViewBuilder content: @escaping (Data.Element) -> Content
    ) where Data: RandomAccessCollection, Data.Element: Identifiable {}

    public init<ID: Hashable>(
        _ data: Data, id: KeyPath<Data.Element, ID>, children: KeyPath<Data.Element, Data?>,
        @ViewBuilder content: @escaping (Data.Element) -> Content
    ) where Data: RandomAccessCollection {}

    public init(
        _ root: Data.Element, children: KeyPath<Data.Element, Data?>,
        @ViewBuilder content: @escaping (Data.Element) -> Content
    ) where Data: RandomAccessCollection, Data.Element: Identifiable {}
}

extension List {
    public init<Data: RandomAccessCollection>(
        _ data: Data, children: KeyPath<Data.Element, Data?>,
        @ViewBuilder rowContent: @escaping (Data.Element) -> Content
    ) where Data.Element: Identifiable {}

    public init<Data: MutableCollection & RandomAccessCollection>(
        _ data: Binding<Data>,
        @ViewBuilder rowContent: @escaping (Binding<Data.Element>) -> Content
    ) where Data.Element: Identifiable {}
}

/// A group of related controls.
public struct ControlGroup<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: () -> Content) {}
    public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> some View) {}
    public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {}
    public init(
        _ title: LocalizedStringKey, systemImage: String, @ViewBuilder content: () -> Content
    ) {}
}

extension NavigationSplitView {
    public init(
        columnVisibility: Binding<NavigationSplitViewVisibility>,
        @ViewBuilder sidebar: () -> Sidebar, @ViewBuilder detail: () -> Detail
    ) {}
    public init(
        @ViewBuilder sidebar: () -> Sidebar, @ViewBuilder content: () -> some View,
        @ViewBuilder detail: () -> Detail
    ) {}
    public init(
        columnVisibility: Binding<NavigationSplitViewVisibility>,
        @ViewBuilder sidebar: () -> Sidebar, @ViewBuilder content: () -> some View,
        @ViewBuilder detail: () -> Detail
    ) {}
}

/// The visible columns of a split view.
public enum NavigationSplitViewVisibility: Hashable, Sendable {
    case automatic, all, doubleColumn, detailOnly
}

/// The style of a split view.
@MainActor @preconcurrency
public protocol NavigationSplitViewStyle {}

public struct AutomaticNavigationSplitViewStyle: NavigationSplitViewStyle { public init() {} }
public struct BalancedNavigationSplitViewStyle: NavigationSplitViewStyle { public init() {} }
public struct ProminentDetailNavigationSplitViewStyle: NavigationSplitViewStyle {
    public init() {}
}

extension NavigationSplitViewStyle where Self == AutomaticNavigationSplitViewStyle {
    public static var automatic: Self { Self() }
}

extension NavigationSplitViewStyle where Self == BalancedNavigationSplitViewStyle {
    public static var balanced: Self { Self() }
}

extension NavigationSplitViewStyle where Self == ProminentDetailNavigationSplitViewStyle {
    public static var prominentDetail: Self { Self() }
}

/// A container of glass effects.
public struct GlassEffectContainer<Content: View>: PrimitiveView {
    public init(spacing: Double? = nil, @ViewBuilder content: () -> Content) {}
}

/// Changes nothing.
public struct EmptyModifier: ViewModifier {
    public nonisolated static let identity = EmptyModifier()

    public nonisolated init() {}

    public func body(content: Content) -> Content { content }
}
