// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Controls with further labels and actions. No action is called.

extension Gauge {
    public init<V: BinaryFloatingPoint>(
        value: V, in bounds: ClosedRange<V> = 0...1, @ViewBuilder label: () -> some View,
        @ViewBuilder currentValueLabel: () -> some View
    ) {}
    public init<V: BinaryFloatingPoint>(
        value: V, in bounds: ClosedRange<V> = 0...1, @ViewBuilder label: () -> some View,
        @ViewBuilder currentValueLabel: () -> some View,
        @ViewBuilder minimumValueLabel: () -> some View,
        @ViewBuilder maximumValueLabel: () -> some View
    ) {}
    public init<V: BinaryFloatingPoint>(
        value: V, in bounds: ClosedRange<V> = 0...1, @ViewBuilder label: () -> some View,
        @ViewBuilder currentValueLabel: () -> some View,
        @ViewBuilder markedValueLabels: () -> some View
    ) {}
}

extension Slider {
    public init<V: BinaryFloatingPoint>(
        value: Binding<V>, in bounds: ClosedRange<V> = 0...1, step: V? = nil,
        onEditingChanged: @escaping (Bool) -> Void
    ) {}
    public init<V: BinaryFloatingPoint>(
        value: Binding<V>, in bounds: ClosedRange<V> = 0...1, step: V? = nil,
        @ViewBuilder label: () -> some View, onEditingChanged: @escaping (Bool) -> Void
    ) {}
    public init<V: BinaryFloatingPoint>(
        value: Binding<V>, in bounds: ClosedRange<V> = 0...1, step: V? = nil,
        @ViewBuilder label: () -> some View, @ViewBuilder minimumValueLabel: () -> some View,
        @ViewBuilder maximumValueLabel: () -> some View,
        onEditingChanged: @escaping (Bool) -> Void = { _ in }
    ) {}
}

extension Stepper {
    public init(
        @ViewBuilder label: () -> some View, onIncrement: (() -> Void)?,
        onDecrement: (() -> Void)?, onEditingChanged: @escaping (Bool) -> Void = { _ in }
    ) {}
    public init(
        onIncrement: (() -> Void)?, onDecrement: (() -> Void)?,
        onEditingChanged: @escaping (Bool) -> Void = { _ in }, @ViewBuilder label: () -> some View
    ) {}
    @_disfavoredOverload
    public init(
        _ title: some StringProtocol, onIncrement: (() -> Void)?, onDecrement: (() -> Void)?
    ) {}
    public init<V: Strideable>(
        value: Binding<V>, step: V.Stride = 1, @ViewBuilder label: () -> some View
    ) {}
}

extension Toggle where Label == SwiftUI.Label<Text, Image> {
    public init(_ title: LocalizedStringKey, systemImage: String, isOn: Binding<Bool>) {}
    @_disfavoredOverload
    public init(_ title: some StringProtocol, systemImage: String, isOn: Binding<Bool>) {}
}

/// The label of a button that has only a role.
public struct DefaultButtonLabel: PrimitiveView {}

extension Button where Label == DefaultButtonLabel {
    public init(role: ButtonRole, action: @escaping @MainActor () -> Void) {}
}

extension TextField {
    public init(
        _ title: LocalizedStringKey, text: Binding<String>,
        onEditingChanged: @escaping (Bool) -> Void, onCommit: @escaping () -> Void
    ) {}
    public init(
        _ title: LocalizedStringKey, text: Binding<String>,
        onEditingChanged: @escaping (Bool) -> Void
    ) {}
    public init(
        _ title: LocalizedStringKey, text: Binding<String>, onCommit: @escaping () -> Void
    ) {}
    @_disfavoredOverload
    public init(
        _ title: some StringProtocol, text: Binding<String>, onCommit: @escaping () -> Void
    ) {}
    @_disfavoredOverload
    public init(
        _ title: some StringProtocol, text: Binding<String>, prompt: Text?,
        axis: Axis = .horizontal
    ) {}
    public init(
        text: Binding<String>, prompt: Text? = nil, axis: Axis = .horizontal,
        @ViewBuilder label: () -> some View
    ) {}
    public init<Value>(
        _ title: LocalizedStringKey, value: Binding<Value>, formatter: Formatter
    ) {}
    public init<Style: ParseableFormatStyle>(
        _ title: LocalizedStringKey, value: Binding<Style.FormatInput?>, format: Style,
        prompt: Text? = nil
    ) where Style.FormatOutput == String {}
    public init<Style: ParseableFormatStyle>(
        _ title: LocalizedStringKey, value: Binding<Style.FormatInput>, format: Style,
        prompt: Text?
    ) where Style.FormatOutput == String {}
}

extension SecureField {
    public init(_ title: LocalizedStringKey, text: Binding<String>, prompt: Text?) {}
    public init(
        _ title: LocalizedStringKey, text: Binding<String>, onCommit: @escaping () -> Void
    ) {}
}

extension Menu {
    public init(
        @ViewBuilder content: () -> Content, @ViewBuilder label: () -> some View,
        primaryAction: @escaping () -> Void
    ) {}
    public init(
        _ title: LocalizedStringKey, @ViewBuilder content: () -> Content,
        primaryAction: @escaping () -> Void
    ) {}
    @_disfavoredOverload
    public init(
        _ title: some StringProtocol, @ViewBuilder content: () -> Content,
        primaryAction: @escaping () -> Void
    ) {}
    public init(
        _ title: LocalizedStringKey, systemImage: String, @ViewBuilder content: () -> Content,
        primaryAction: @escaping () -> Void
    ) {}
}

extension DatePicker {
    public init(
        selection: Binding<Date>, displayedComponents: Components = [.date, .hourAndMinute],
        @ViewBuilder label: () -> some View
    ) {}
    public init(
        selection: Binding<Date>, in range: some RangeExpression<Date>,
        displayedComponents: Components = [.date, .hourAndMinute],
        @ViewBuilder label: () -> some View
    ) {}
    @_disfavoredOverload
    public init(
        _ title: some StringProtocol, selection: Binding<Date>,
        displayedComponents: Components = [.date, .hourAndMinute]
    ) {}
}

extension Picker {
    public init(
        _ title: LocalizedStringKey, systemImage: String, selection: Binding<Selection>,
        @ViewBuilder content: () -> Content
    ) {}
}

extension ProgressView {
    public init(timerInterval: ClosedRange<Date>, countsDown: Bool = true) {}
    public init(
        timerInterval: ClosedRange<Date>, countsDown: Bool = true,
        @ViewBuilder label: () -> some View
    ) {}
    public init(
        timerInterval: ClosedRange<Date>, countsDown: Bool = true,
        @ViewBuilder label: () -> some View, @ViewBuilder currentValueLabel: () -> some View
    ) {}
}

extension LabeledContent {
    public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> some View) {}
}

extension Section {
    public init(
        _ title: LocalizedStringKey, isExpanded: Binding<Bool>, @ViewBuilder content: () -> Content
    ) {}
    @_disfavoredOverload
    public init(
        _ title: some StringProtocol, isExpanded: Binding<Bool>,
        @ViewBuilder content: () -> Content
    ) {}
    public init(
        isExpanded: Binding<Bool>, @ViewBuilder content: () -> Content,
        @ViewBuilder header: () -> some View
    ) {}
}

extension GroupBox {
    public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> some View) {}
    public init(label: some View, @ViewBuilder content: () -> Content) {}
    @_disfavoredOverload
    public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {}
}

extension DisclosureGroup {
    public init(
        isExpanded: Binding<Bool>, @ViewBuilder content: () -> Content,
        @ViewBuilder label: () -> some View
    ) {}
}

extension Image {
    public nonisolated init(systemName: String, variableValue: Double?) {}
    public nonisolated init(_ name: String, variableValue: Double?, bundle: Bundle? = nil) {}
    public nonisolated init(_ name: String, bundle: Bundle? = nil, label: Text) {}
    public func antialiased(_ isAntialiased: Bool) -> Image { self }
    public func resizable(
        capInsets: EdgeInsets, resizingMode: ResizingMode = .stretch
    ) -> Image { self }

    /// The resizing of an image.
    public enum ResizingMode: Sendable {
        case tile, stretch
    }
}
