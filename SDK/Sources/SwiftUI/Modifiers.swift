// SPDX-License-Identifier: Apache-2.0

public import Combine
public import Foundation

// Modifiers of views have no effect and store no closure: a view is never drawn.

// MARK: view events, which never occur

extension View {
    /// Runs nothing: a view never appears.
    public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
    /// Runs nothing: a view never appears.
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View { self }
    /// Runs nothing: a view never appears.
    public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { self }
    /// Runs nothing: a view never appears.
    public func task<ID: Equatable>(
        id value: ID, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { self }
    public func refreshable(
        @_inheritActorContext action: @escaping @Sendable () async -> Void
    ) -> some View { self }
    public func onReceive<P: Publisher>(
        _ publisher: P, perform action: @escaping (P.Output) -> Void
    ) -> some View where P.Failure == Never { self }
    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false,
        _ action: @escaping (_ oldValue: Value, _ newValue: Value) -> Void
    ) -> some View { self }
    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some View { self }
    public func onChange<Value: Equatable>(
        of value: Value, perform action: @escaping (_ newValue: Value) -> Void
    ) -> some View { self }
    public func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View {
        self
    }
    public func onLongPressGesture(perform action: @escaping () -> Void) -> some View { self }
    public func onSubmit(
        of triggers: SubmitTriggers = .text, _ action: @escaping () -> Void
    ) -> some View { self }
    public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { self }

    public func contextMenu(@ViewBuilder menuItems: () -> some View) -> some View { self }
    public func searchable(
        text: Binding<String>, prompt: LocalizedStringKey? = nil
    ) -> some View { self }
}

// MARK: environment

extension View {
    public func environment<Value: AnyObject>(_ object: Value?) -> some View { self }
    public func environment<Value>(
        _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
    ) -> some View { self }
    public func environmentObject<Value: ObservableObject>(_ object: Value) -> some View { self }
    public func preferredColorScheme(_ scheme: ColorScheme?) -> some View { self }
}

// MARK: presentations above a view

extension View {
    public func sheet(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping () -> some View
    ) -> some View { self }
    public func sheet<Item: Identifiable>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping (Item) -> some View
    ) -> some View { self }
    public func fullScreenCover(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping () -> some View
    ) -> some View { self }
    public func alert(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>,
        @ViewBuilder actions: () -> some View
    ) -> some View { self }
    public func alert(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>,
        @ViewBuilder actions: () -> some View, @ViewBuilder message: () -> some View
    ) -> some View { self }
    public func confirmationDialog(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>,
        @ViewBuilder actions: () -> some View
    ) -> some View { self }
    public func navigationTitle(_ title: LocalizedStringKey) -> some View { self }
    @_disfavoredOverload
    public func navigationTitle(_ title: some StringProtocol) -> some View { self }
    public func navigationBarTitle(_ title: LocalizedStringKey) -> some View { self }
    public func navigationBarTitleDisplayMode(
        _ mode: NavigationBarTitleDisplayMode
    ) -> some View { self }
    public func navigationDestination<Value: Hashable>(
        for data: Value.Type, @ViewBuilder destination: @escaping (Value) -> some View
    ) -> some View { self }
    public func toolbar(@ViewBuilder content: () -> some View) -> some View { self }
    public func tabItem(@ViewBuilder _ label: () -> some View) -> some View { self }
    public func badge(_ count: Int) -> some View { self }
    public func overlay(
        alignment: Alignment = .center, @ViewBuilder content: () -> some View
    ) -> some View { self }
    public func overlay(_ view: some View) -> some View { self }
}

/// The size of a title.
public enum NavigationBarTitleDisplayMode: Sendable {
    case automatic, inline, large
}

// MARK: appearance

extension View {
    public func padding() -> some View { self }
    public func padding(_ length: CGFloat) -> some View { self }
    public func padding(_ edges: Edge.Set, _ length: CGFloat? = nil) -> some View { self }
    public func padding(_ insets: EdgeInsets) -> some View { self }
    public func frame(
        width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View { self }
    public func frame(
        minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil,
        minHeight: CGFloat? = nil, idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil,
        alignment: Alignment = .center
    ) -> some View { self }
    public func font(_ font: Font?) -> some View { self }
    public func fontWeight(_ weight: Font.Weight?) -> some View { self }
    public func bold(_ isActive: Bool = true) -> some View { self }
    public func monospacedDigit() -> some View { self }
    public func foregroundColor(_ color: Color?) -> some View { self }
    public func foregroundStyle(_ color: Color) -> some View { self }
    public func tint(_ color: Color?) -> some View { self }
    public func accentColor(_ color: Color?) -> some View { self }
    public func background(_ color: Color) -> some View { self }
    public func background(_ color: Color, in shape: some Shape) -> some View { self }
    public func background(
        alignment: Alignment = .center, @ViewBuilder content: () -> some View
    ) -> some View { self }
    public func cornerRadius(_ radius: CGFloat) -> some View { self }
    public func clipShape(_ shape: some Shape) -> some View { self }
    public func shadow(
        color: Color = .black, radius: CGFloat, x: CGFloat = 0, y: CGFloat = 0
    ) -> some View { self }
    public func opacity(_ opacity: Double) -> some View { self }
    public func disabled(_ disabled: Bool) -> some View { self }
    public func hidden() -> some View { self }
    public func lineLimit(_ number: Int?) -> some View { self }
    public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { self }
    public func minimumScaleFactor(_ factor: CGFloat) -> some View { self }
    public func imageScale(_ scale: Image.Scale) -> some View { self }
    public func aspectRatio(_ ratio: CGFloat? = nil, contentMode: ContentMode) -> some View { self }
    public func scaledToFit() -> some View { self }
    public func scaledToFill() -> some View { self }
    public func ignoresSafeArea() -> some View { self }
    public func fixedSize() -> some View { self }
    public func offset(x: CGFloat = 0, y: CGFloat = 0) -> some View { self }
    public func animation<Value: Equatable>(
        _ animation: Animation?, value: Value
    ) -> some View { self }
    public func id<ID: Hashable>(_ id: ID) -> some View { self }
    public func tag<Value: Hashable>(_ tag: Value) -> some View { self }
    public func labelsHidden() -> some View { self }
    public func controlSize(_ size: ControlSize) -> some View { self }
    public func textCase(_ textCase: Text.Case?) -> some View { self }
    public func accessibilityLabel(_ label: LocalizedStringKey) -> some View { self }
    public func accessibilityIdentifier(_ identifier: String) -> some View { self }
    public func buttonStyle(_ style: ViewStyle) -> some View { self }
    public func listStyle(_ style: ViewStyle) -> some View { self }
    public func progressViewStyle(_ style: ViewStyle) -> some View { self }
    public func pickerStyle(_ style: ViewStyle) -> some View { self }
    public func toggleStyle(_ style: ViewStyle) -> some View { self }
    public func textFieldStyle(_ style: ViewStyle) -> some View { self }
    public func labelStyle(_ style: ViewStyle) -> some View { self }
    public func tabViewStyle(_ style: ViewStyle) -> some View { self }
    public func formStyle(_ style: ViewStyle) -> some View { self }
    public func navigationViewStyle(_ style: ViewStyle) -> some View { self }
    public func listRowSeparator(_ visibility: Visibility) -> some View { self }
    public func autocorrectionDisabled(_ disable: Bool = true) -> some View { self }
    public func modifier<Modifier: ViewModifier>(_ modifier: Modifier) -> some View { self }
}

/// Whether something is shown.
public enum Visibility: Sendable {
    case automatic, visible, hidden
}

extension Text {
    /// The case of letters.
    public enum Case: Sendable {
        case uppercase, lowercase
    }
}

/// A modifier of views. Its body is never evaluated.
@MainActor @preconcurrency
public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = AnyView
    @ViewBuilder func body(content: Content) -> Body
}

/// The controls that submit a value.
public struct SubmitTriggers: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public static let text = SubmitTriggers(rawValue: 1)
    public static let search = SubmitTriggers(rawValue: 2)
}
