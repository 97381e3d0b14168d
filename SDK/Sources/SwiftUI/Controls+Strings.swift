// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Forms of controls with a string title instead of a key, and menus with a symbol.

extension Menu {
    public init(
        _ title: LocalizedStringKey, systemImage: String, @ViewBuilder content: () -> Content
    ) {}
    @_disfavoredOverload
    public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {}
    @_disfavoredOverload
    public init(
        _ title: some StringProtocol, systemImage: String, @ViewBuilder content: () -> Content
    ) {}
}

extension LabeledContent {
    @_disfavoredOverload
    public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {}
}

extension LabeledContent where Content == Text {
    @_disfavoredOverload
    public init(_ title: some StringProtocol, value: some StringProtocol) {}
    @_disfavoredOverload
    public init<Style: FormatStyle>(
        _ title: some StringProtocol, value: Style.FormatInput, format: Style
    ) {}
}

extension NavigationLink where Label == Text {
    @_disfavoredOverload
    public init<Value: Hashable>(_ title: some StringProtocol, value: Value?) {}
}

extension Link {
    @_disfavoredOverload
    public init(_ title: some StringProtocol, destination: URL) {}
}

extension DisclosureGroup {
    @_disfavoredOverload
    public init(_ label: some StringProtocol, @ViewBuilder content: () -> Content) {}
    @_disfavoredOverload
    public init(
        _ label: some StringProtocol, isExpanded: Binding<Bool>,
        @ViewBuilder content: () -> Content
    ) {}
}

extension Stepper {
    @_disfavoredOverload
    public init<V: Strideable>(
        _ title: some StringProtocol, value: Binding<V>, in bounds: ClosedRange<V>,
        step: V.Stride = 1
    ) {}
}

extension SecureField {
    @_disfavoredOverload
    public init(_ title: some StringProtocol, text: Binding<String>) {}
}

extension TextField {
    @_disfavoredOverload
    public init<Style: ParseableFormatStyle>(
        _ title: some StringProtocol, value: Binding<Style.FormatInput>, format: Style
    ) where Style.FormatOutput == String {}
}

extension ProgressView {
    @_disfavoredOverload
    public init<V: BinaryFloatingPoint>(_ title: some StringProtocol, value: V?, total: V = 1) {}
}

extension ContentUnavailableView {
    @_disfavoredOverload
    public init(_ title: some StringProtocol, systemImage name: String, description: Text? = nil) {}
}

extension View {
    @_disfavoredOverload
    public func confirmationDialog(
        _ title: some StringProtocol, isPresented: Binding<Bool>,
        titleVisibility: Visibility = .automatic, @ViewBuilder actions: () -> some View
    ) -> some View { self }
    @_disfavoredOverload
    public func confirmationDialog(
        _ title: some StringProtocol, isPresented: Binding<Bool>,
        titleVisibility: Visibility = .automatic, @ViewBuilder actions: () -> some View,
        @ViewBuilder message: () -> some View
    ) -> some View { self }
    @_disfavoredOverload
    public func badge(_ label: (some StringProtocol)?) -> some View { self }
}
