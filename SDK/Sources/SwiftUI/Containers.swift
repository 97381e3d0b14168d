// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Container views. Their content is never evaluated.

/// A type-erased view.
public struct AnyView: PrimitiveView {
    public init(_ view: some View) {}
    public init(erasing view: some View) {}
}

/// A vertical stack of views.
public struct VStack<Content: View>: PrimitiveView {
    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) {}
}

/// A horizontal stack of views.
public struct HStack<Content: View>: PrimitiveView {
    public init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) {}
}

/// A stack of overlaid views.
public struct ZStack<Content: View>: PrimitiveView {
    public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {}
}

/// The views that stay visible while others scroll.
public struct PinnedScrollableViews: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public static let sectionHeaders = Self(rawValue: 1)
    public static let sectionFooters = Self(rawValue: 2)
}

/// Views one below the other.
public struct LazyVStack<Content: View>: PrimitiveView {
    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
        pinnedViews: PinnedScrollableViews = [], @ViewBuilder content: () -> Content
    ) {}
}

/// Views side by side.
public struct LazyHStack<Content: View>: PrimitiveView {
    public init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil,
        pinnedViews: PinnedScrollableViews = [], @ViewBuilder content: () -> Content
    ) {}
}

/// Views in rows.
public struct LazyHGrid<Content: View>: PrimitiveView {
    public init(
        rows: [GridItem], alignment: VerticalAlignment = .center, spacing: CGFloat? = nil,
        pinnedViews: PinnedScrollableViews = [], @ViewBuilder content: () -> Content
    ) {}
}

/// Views in rows and columns.
public struct Grid<Content: View>: PrimitiveView {
    public init(
        alignment: Alignment = .center, horizontalSpacing: CGFloat? = nil,
        verticalSpacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {}
}

/// A row of a grid.
public struct GridRow<Content: View>: PrimitiveView {
    public init(alignment: VerticalAlignment? = nil, @ViewBuilder content: () -> Content) {}
}

/// Views in columns.
public struct LazyVGrid<Content: View>: PrimitiveView {
    public init(
        columns: [GridItem], alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
        pinnedViews: PinnedScrollableViews = [], @ViewBuilder content: () -> Content
    ) {}
}

/// A column.
public struct GridItem: Sendable {
    public enum Size: Sendable {
        case fixed(CGFloat)
        case flexible(minimum: CGFloat = 10, maximum: CGFloat = .infinity)
        case adaptive(minimum: CGFloat, maximum: CGFloat = .infinity)
    }

    public init(
        _ size: Size = .flexible(), spacing: CGFloat? = nil, alignment: Alignment? = nil
    ) {}
}

/// Some views.
public struct Group<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: () -> Content) {}
}

/// A form.
public struct Form<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: () -> Content) {}
}

/// A titled box around views.
public struct GroupBox<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: () -> Content) {}
    public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {}
}

/// Views that can be scrolled.
public struct ScrollView<Content: View>: PrimitiveView {
    public init(
        _ axes: Axis.Set = .vertical, showsIndicators: Bool = true,
        @ViewBuilder content: () -> Content
    ) {}
}

/// Rows.
public struct List<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: () -> Content) {}

    public init<Data: RandomAccessCollection>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Content
    ) where Data.Element: Identifiable {}

    public init<Data: RandomAccessCollection, ID: Hashable>(
        _ data: Data, id: KeyPath<Data.Element, ID>,
        @ViewBuilder rowContent: @escaping (Data.Element) -> Content
    ) {}

    public init<Selection>(
        selection: Binding<Selection>, @ViewBuilder content: () -> Content
    ) {}

    public init<Data: RandomAccessCollection, Selection>(
        _ data: Data, selection: Binding<Selection>,
        @ViewBuilder rowContent: @escaping (Data.Element) -> Content
    ) where Data.Element: Identifiable {}

    public init<Data: RandomAccessCollection, ID: Hashable, Selection>(
        _ data: Data, id: KeyPath<Data.Element, ID>, selection: Binding<Selection>,
        @ViewBuilder rowContent: @escaping (Data.Element) -> Content
    ) {}
}

/// A view for each element.
public struct ForEach<Data, Content: View>: PrimitiveView {
    public init(
        _ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) where Data: RandomAccessCollection, Data.Element: Identifiable {}

    public init<ID: Hashable>(
        _ data: Data, id: KeyPath<Data.Element, ID>,
        @ViewBuilder content: @escaping (Data.Element) -> Content
    ) where Data: RandomAccessCollection {}

    public init(
        _ data: Range<Int>, @ViewBuilder content: @escaping (Int) -> Content
    ) where Data == Range<Int> {}

    /// A view for each element of a binding.
    public init<Elements: MutableCollection & RandomAccessCollection, ID: Hashable>(
        _ data: Binding<Elements>, id: KeyPath<Elements.Element, ID>,
        @ViewBuilder content: @escaping (Binding<Elements.Element>) -> Content
    ) where Data == Binding<Elements> {}

    public func onDelete(perform action: ((IndexSet) -> Void)?) -> Self { self }
    public func onMove(perform action: ((IndexSet, Int) -> Void)?) -> Self { self }
}

/// Rows with a header and a footer.
public struct Section<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: () -> Content) {}
    public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {}
    @_disfavoredOverload
    public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {}
    public init(
        @ViewBuilder content: () -> Content, @ViewBuilder header: () -> some View
    ) {}
    public init(
        @ViewBuilder content: () -> Content, @ViewBuilder footer: () -> some View
    ) {}
    public init(
        @ViewBuilder content: () -> Content, @ViewBuilder header: () -> some View,
        @ViewBuilder footer: () -> some View
    ) {}
    public init(header: some View, @ViewBuilder content: () -> Content) {}
    public init(header: some View, footer: some View, @ViewBuilder content: () -> Content) {}
    public init(footer: some View, @ViewBuilder content: () -> Content) {}
}

/// A stack of screens.
public struct NavigationStack<Root: View>: PrimitiveView {
    public init(@ViewBuilder root: () -> Root) {}
    public init<Path>(path: Binding<Path>, @ViewBuilder root: () -> Root) {}
}

/// A stack of screens.
public struct NavigationView<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: () -> Content) {}
}

/// Screens side by side.
public struct NavigationSplitView<Sidebar: View, Detail: View>: PrimitiveView {
    public init(@ViewBuilder sidebar: () -> Sidebar, @ViewBuilder detail: () -> Detail) {}
}

/// The path of a stack of screens.
public struct NavigationPath: Sendable {
    public private(set) var count = 0

    public init() {}

    public mutating func append<Value: Hashable>(_ value: Value) { count += 1 }
    public mutating func removeLast(_ k: Int = 1) { count = max(0, count - k) }
    public var isEmpty: Bool { count == 0 }
}

/// A link to another screen.
public struct NavigationLink<Label: View>: PrimitiveView {
    public init(@ViewBuilder destination: () -> some View, @ViewBuilder label: () -> Label) {}
    public init(destination: some View, @ViewBuilder label: () -> Label) {}
    public init(
        destination: some View, isActive: Binding<Bool>, @ViewBuilder label: () -> Label
    ) {}
    public init<Value: Hashable>(value: Value?, @ViewBuilder label: () -> Label) {}
}

extension NavigationLink where Label == Text {
    public init(_ title: LocalizedStringKey, @ViewBuilder destination: () -> some View) {}
    @_disfavoredOverload
    public init(_ title: some StringProtocol, @ViewBuilder destination: () -> some View) {}
    public init(_ title: LocalizedStringKey, destination: some View) {}
    @_disfavoredOverload
    public init(_ title: some StringProtocol, destination: some View) {}
    public init<Value: Hashable>(_ title: LocalizedStringKey, value: Value?) {}
}

/// Screens with tabs.
public struct TabView<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: () -> Content) {}
    public init<Selection: Hashable>(
        selection: Binding<Selection>?, @ViewBuilder content: () -> Content
    ) {}
}

/// Views that can be scrolled by code.
public struct ScrollViewReader<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: @escaping (ScrollViewProxy) -> Content) {}
}

/// Scrolls nothing.
public struct ScrollViewProxy: Sendable {
    public func scrollTo<ID: Hashable>(_ id: ID, anchor: UnitPoint? = nil) {}
}

/// A collapsible group of views.
public struct DisclosureGroup<Content: View>: PrimitiveView {
    public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {}
    public init(
        _ title: LocalizedStringKey, isExpanded: Binding<Bool>,
        @ViewBuilder content: () -> Content
    ) {}
    public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> some View) {}
}

/// The first view that fits.
public struct ViewThatFits<Content: View>: PrimitiveView {
    public init(in axes: Axis.Set = .vertical, @ViewBuilder content: () -> Content) {}
}

/// A view that changes with time.
public struct TimelineView<Content: View>: PrimitiveView {
    public init(
        _ schedule: TimelineSchedule,
        @ViewBuilder content: @escaping (TimelineViewDefaultContext) -> Content
    ) {}
}

/// The displayed time.
public struct TimelineViewDefaultContext: Sendable {
    public let date: Date
}

/// The update times of a view.
public enum TimelineSchedule: Sendable {
    case everyMinute, animation
    case periodic(from: Date, by: TimeInterval)
}

/// A view with access to its size.
public struct GeometryReader<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: @escaping (GeometryProxy) -> Content) {}
}

/// A size; zero.
public struct GeometryProxy: Sendable {
    public let size = CGSize.zero
    public let safeAreaInsets = EdgeInsets()
}

/// The content of a toolbar.
public struct ToolbarItem<Content: View>: PrimitiveView {
    public init(
        placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content
    ) {}
}

/// Items of a toolbar, which are views here.
public typealias ToolbarContent = View
public typealias ToolbarContentBuilder = ViewBuilder

/// The content of a toolbar.
public struct ToolbarItemGroup<Content: View>: PrimitiveView {
    public init(
        placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content
    ) {}
}

/// The position in a toolbar.
public enum ToolbarItemPlacement: Sendable {
    case automatic, principal, navigation, primaryAction, secondaryAction, status
    case confirmationAction, cancellationAction, destructiveAction, bottomBar, keyboard
    case topBarLeading, topBarTrailing, navigationBarLeading, navigationBarTrailing
}

/// A preview. Inert: it is never shown.
@MainActor @preconcurrency
public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder static var previews: Previews { get }
}
