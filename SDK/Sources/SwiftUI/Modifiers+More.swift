// SPDX-License-Identifier: Apache-2.0

public import Foundation

// MARK: presentations above a view

extension View {
    public func alert<Item>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, presenting data: Item?,
        @ViewBuilder actions: (Item) -> some View
    ) -> some View { self }
    public func alert<Item>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, presenting data: Item?,
        @ViewBuilder actions: (Item) -> some View, @ViewBuilder message: (Item) -> some View
    ) -> some View { self }
    @_disfavoredOverload
    public func alert(
        _ title: some StringProtocol, isPresented: Binding<Bool>,
        @ViewBuilder actions: () -> some View
    ) -> some View { self }
    @_disfavoredOverload
    public func alert(
        _ title: some StringProtocol, isPresented: Binding<Bool>,
        @ViewBuilder actions: () -> some View, @ViewBuilder message: () -> some View
    ) -> some View { self }
    public func alert<Failure: LocalizedError>(
        isPresented: Binding<Bool>, error: Failure?, @ViewBuilder actions: () -> some View
    ) -> some View { self }
    public func alert(
        isPresented: Binding<Bool>, content: @escaping () -> Alert
    ) -> some View { self }
    public func alert<Item: Identifiable>(
        item: Binding<Item?>, content: @escaping (Item) -> Alert
    ) -> some View { self }
    public func confirmationDialog(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>,
        titleVisibility: Visibility, @ViewBuilder actions: () -> some View
    ) -> some View { self }
    public func confirmationDialog(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>,
        titleVisibility: Visibility = .automatic, @ViewBuilder actions: () -> some View,
        @ViewBuilder message: () -> some View
    ) -> some View { self }
    public func fullScreenCover<Item: Identifiable>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping (Item) -> some View
    ) -> some View { self }
    public func popover(
        isPresented: Binding<Bool>, @ViewBuilder content: @escaping () -> some View
    ) -> some View { self }
    public func presentationDetents(_ detents: Set<PresentationDetent>) -> some View { self }
    public func presentationDragIndicator(_ visibility: Visibility) -> some View { self }
    public func interactiveDismissDisabled(_ isDisabled: Bool = true) -> some View { self }
    public func swipeActions(
        edge: HorizontalEdge = .trailing, allowsFullSwipe: Bool = true,
        @ViewBuilder content: () -> some View
    ) -> some View { self }
    public func searchable(
        text: Binding<String>, placement: SearchFieldPlacement,
        prompt: LocalizedStringKey? = nil
    ) -> some View { self }
    public func safeAreaInset(
        edge: VerticalEdge, spacing: CGFloat? = nil, @ViewBuilder content: () -> some View
    ) -> some View { self }
    public func navigationBarBackButtonHidden(_ hidesBackButton: Bool = true) -> some View { self }
    public func navigationBarHidden(_ hidden: Bool) -> some View { self }
    public func navigationBarTitle(
        _ title: LocalizedStringKey, displayMode: NavigationBarTitleDisplayMode
    ) -> some View { self }
    public func navigationBarItems(
        leading: some View = EmptyView(), trailing: some View = EmptyView()
    ) -> some View { self }
    public func navigationDestination(
        isPresented: Binding<Bool>, @ViewBuilder destination: () -> some View
    ) -> some View { self }
    public func toolbar(_ visibility: Visibility, for bars: ToolbarBar...) -> some View { self }
    public func toolbarBackground(
        _ visibility: Visibility, for bars: ToolbarBar...
    ) -> some View { self }
    public func toolbarBackground(_ color: Color, for bars: ToolbarBar...) -> some View { self }
    public func toolbarColorScheme(
        _ scheme: ColorScheme?, for bars: ToolbarBar...
    ) -> some View { self }
    public func statusBarHidden(_ hidden: Bool = true) -> some View { self }
    public func onContinueUserActivity(
        _ type: String, perform action: @escaping (NSUserActivity) -> Void
    ) -> some View { self }
    public func userActivity(
        _ type: String, isActive: Bool = true, _ update: @escaping (NSUserActivity) -> Void
    ) -> some View { self }
    public func handlesExternalEvents(
        preferring: Set<String>, allowing: Set<String>
    ) -> some View { self }
}

/// An alert with one button or two.
public struct Alert {
    /// A button.
    public struct Button {
        public static func `default`(_ label: Text, action: (() -> Void)? = {}) -> Button {
            Button()
        }
        public static func cancel(_ action: (() -> Void)? = {}) -> Button { Button() }
        public static func cancel(_ label: Text, action: (() -> Void)? = {}) -> Button {
            Button()
        }
        public static func destructive(_ label: Text, action: (() -> Void)? = {}) -> Button {
            Button()
        }
    }

    public init(title: Text, message: Text? = nil, dismissButton: Button? = nil) {}
    public init(
        title: Text, message: Text? = nil, primaryButton: Button, secondaryButton: Button
    ) {}
}

/// The height of a sheet.
public enum PresentationDetent: Hashable, Sendable {
    case medium, large
    case height(CGFloat)
    case fraction(CGFloat)
}

/// The left or the right.
public enum HorizontalEdge: Hashable, Sendable {
    case leading, trailing
}

/// The top or the bottom.
public enum VerticalEdge: Hashable, Sendable {
    case top, bottom
}

/// A bar around a view.
public enum ToolbarBar: Hashable, Sendable {
    case automatic, bottomBar, navigationBar, tabBar, windowToolbar
}

/// The position of a search field.
public struct SearchFieldPlacement: Sendable {
    /// Whether the search field is always displayed.
    public enum NavigationBarDrawerDisplayMode: Sendable {
        case automatic, always
    }

    public static let automatic = Self()
    public static let toolbar = Self()
    public static let sidebar = Self()
    public static let navigationBarDrawer = Self()
    public static func navigationBarDrawer(
        displayMode: NavigationBarDrawerDisplayMode
    ) -> Self { Self() }
}

// MARK: appearance

extension View {
    public func foregroundStyle(_ style: some ShapeStyle) -> some View { self }
    public func foregroundStyle(_ first: Color, _ second: Color) -> some View { self }
    public func background(_ view: some View) -> some View { self }
    public func background(_ style: some ShapeStyle, in shape: some Shape) -> some View { self }
    public func overlay(_ view: some View, alignment: Alignment) -> some View { self }
    public func border(_ color: Color, width: CGFloat = 1) -> some View { self }
    public func mask(@ViewBuilder _ mask: () -> some View) -> some View { self }
    public func blur(radius: CGFloat) -> some View { self }
    public func clipped(antialiased: Bool = false) -> some View { self }
    public func offset(_ offset: CGSize) -> some View { self }
    public func position(x: CGFloat = 0, y: CGFloat = 0) -> some View { self }
    public func scaleEffect(_ scale: CGFloat, anchor: UnitPoint = .center) -> some View { self }
    public func scaleEffect(x: CGFloat = 1, y: CGFloat = 1) -> some View { self }
    public func rotationEffect(_ angle: Angle, anchor: UnitPoint = .center) -> some View { self }
    public func zIndex(_ value: Double) -> some View { self }
    public func transition(_ transition: AnyTransition) -> some View { self }
    public func contentTransition(_ transition: ContentTransition) -> some View { self }
    public func animation(_ animation: Animation?) -> some View { self }
    public func matchedGeometryEffect<ID: Hashable>(
        id: ID, in namespace: Namespace.ID
    ) -> some View { self }
    public func redacted(reason: RedactionReasons) -> some View { self }
    public func symbolRenderingMode(_ mode: SymbolRenderingMode?) -> some View { self }
    public func symbolVariant(_ variant: SymbolVariants) -> some View { self }
    public func symbolEffect(_ effect: SymbolEffect, isActive: Bool = true) -> some View { self }
    public func symbolEffect<Value: Equatable>(
        _ effect: SymbolEffect, value: Value
    ) -> some View { self }
    public func sensoryFeedback<Value: Equatable>(
        _ feedback: SensoryFeedback, trigger: Value
    ) -> some View { self }
    public func contentShape(_ shape: some Shape) -> some View { self }
    public func allowsHitTesting(_ enabled: Bool) -> some View { self }
    public func lineLimit(_ limit: ClosedRange<Int>) -> some View { self }
    public func lineLimit(_ limit: PartialRangeThrough<Int>) -> some View { self }
    public func lineLimit(_ limit: Int, reservesSpace: Bool) -> some View { self }
    public func lineSpacing(_ spacing: CGFloat) -> some View { self }
    public func truncationMode(_ mode: Text.TruncationMode) -> some View { self }
    public func italic(_ isActive: Bool = true) -> some View { self }
    public func underline(_ isActive: Bool = true) -> some View { self }
    public func strikethrough(_ isActive: Bool = true) -> some View { self }
    public func fontDesign(_ design: Font.Design?) -> some View { self }
    public func monospaced(_ isActive: Bool = true) -> some View { self }
    public func textSelection(_ selectability: TextSelectability) -> some View { self }
    public func ignoresSafeArea(
        _ regions: SafeAreaRegions, edges: Edge.Set = .all
    ) -> some View { self }
    public func ignoresSafeArea(edges: Edge.Set) -> some View { self }
    public func edgesIgnoringSafeArea(_ edges: Edge.Set) -> some View { self }
    public func fixedSize(horizontal: Bool, vertical: Bool) -> some View { self }
    public func layoutPriority(_ value: Double) -> some View { self }
    public func aspectRatio(_ size: CGSize, contentMode: ContentMode) -> some View { self }
    public func containerRelativeFrame(
        _ axes: Axis.Set, alignment: Alignment = .center
    ) -> some View { self }
    public func containerBackground(
        _ color: Color, for container: ContainerBackgroundPlacement
    ) -> some View { self }
    public func gridCellColumns(_ count: Int) -> some View { self }
    public func listRowBackground(_ view: (some View)?) -> some View { self }
    public func listRowInsets(_ insets: EdgeInsets?) -> some View { self }
    public func listRowSpacing(_ spacing: CGFloat?) -> some View { self }
    public func listSectionSeparator(_ visibility: Visibility) -> some View { self }
    public func scrollContentBackground(_ visibility: Visibility) -> some View { self }
    public func scrollIndicators(_ visibility: ScrollIndicatorVisibility) -> some View { self }
    public func scrollDismissesKeyboard(_ mode: ScrollDismissesKeyboardMode) -> some View { self }
    public func scrollDisabled(_ disabled: Bool) -> some View { self }
    public func keyboardType(_ type: UIKeyboardType) -> some View { self }
    public func textContentType(_ type: UITextContentType?) -> some View { self }
    public func submitLabel(_ label: SubmitLabel) -> some View { self }
    public func textInputAutocapitalization(_ style: TextInputAutocapitalization) -> some View {
        self
    }
    public func disableAutocorrection(_ disable: Bool?) -> some View { self }
    public func keyboardShortcut(
        _ key: KeyEquivalent, modifiers: EventModifiers = .command
    ) -> some View { self }
    public func keyboardShortcut(_ shortcut: KeyboardShortcut) -> some View { self }
    public func badge(_ label: LocalizedStringKey?) -> some View { self }
    public func previewDisplayName(_ value: String?) -> some View { self }
    public func previewLayout(_ layout: PreviewLayout) -> some View { self }
    public func defaultAppStorage(_ store: UserDefaults) -> some View { self }
}

// MARK: accessibility

extension View {
    public func accessibilityHint(_ hint: LocalizedStringKey) -> some View { self }
    @_disfavoredOverload
    public func accessibilityLabel(_ label: some StringProtocol) -> some View { self }
    public func accessibilityValue(_ value: LocalizedStringKey) -> some View { self }
    @_disfavoredOverload
    public func accessibilityValue(_ value: some StringProtocol) -> some View { self }
    public func accessibilityHidden(_ hidden: Bool) -> some View { self }
    public func accessibilityElement(
        children: AccessibilityChildBehavior = .ignore
    ) -> some View { self }
    public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { self }
}

/// The treatment of the elements in a view.
public enum AccessibilityChildBehavior: Sendable {
    case ignore, contain, combine
}

/// The kind of an element.
public struct AccessibilityTraits: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public static let isButton = Self(rawValue: 1)
    public static let isHeader = Self(rawValue: 2)
    public static let isSelected = Self(rawValue: 4)
    public static let isLink = Self(rawValue: 8)
    public static let isImage = Self(rawValue: 16)
    public static let updatesFrequently = Self(rawValue: 32)
}

// MARK: values of modifiers

public enum ContentTransition: Sendable {
    case identity, opacity, interpolate
    case numericText(countsDown: Bool)

    public static func numericText() -> ContentTransition { .numericText(countsDown: false) }
}

public struct RedactionReasons: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public static let placeholder = Self(rawValue: 1)
    public static let privacy = Self(rawValue: 2)
    public static let invalidated = Self(rawValue: 4)
}

public enum SymbolVariants: Sendable {
    case none, fill, circle, square, slash
}

public enum SymbolEffect: Sendable {
    case pulse, bounce, variableColor, scale, appear, disappear, rotate, breathe, wiggle
}

public enum SensoryFeedback: Sendable {
    case success, warning, error, selection, increase, decrease, start, stop, alignment, impact
}

public enum TextSelectability: Sendable {
    case enabled, disabled
}

public struct SafeAreaRegions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public static let container = Self(rawValue: 1)
    public static let keyboard = Self(rawValue: 2)
    public static let all = Self(rawValue: 3)
}

public enum ContainerBackgroundPlacement: Sendable {
    case widget, navigation, tabView, window
}

public enum ScrollIndicatorVisibility: Sendable {
    case automatic, visible, hidden, never
}

public enum ScrollDismissesKeyboardMode: Sendable {
    case automatic, immediately, interactively, never
}

public enum SubmitLabel: Sendable {
    case done, go, send, join, route, search, `return`, next, `continue`
}

public enum TextInputAutocapitalization: Sendable {
    case never, words, sentences, characters
}

public enum PreviewLayout: Sendable {
    case device, sizeThatFits
    case fixed(width: CGFloat, height: CGFloat)
}

/// A key.
public struct KeyEquivalent: ExpressibleByExtendedGraphemeClusterLiteral, Sendable {
    public let character: Character

    public init(_ character: Character) {
        self.character = character
    }

    public init(extendedGraphemeClusterLiteral character: Character) {
        self.character = character
    }

    public static let `return` = Self("\r")
    public static let escape = Self("\u{1B}")
    public static let delete = Self("\u{8}")
    public static let space = Self(" ")
}

/// The key of a standard action.
public enum KeyboardShortcut: Sendable {
    case defaultAction, cancelAction
}

public struct EventModifiers: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public static let shift = Self(rawValue: 2)
    public static let control = Self(rawValue: 4)
    public static let option = Self(rawValue: 8)
    public static let command = Self(rawValue: 16)
}
