// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Controls. Their actions are never called.

/// The role of a button.
public enum ButtonRole: Sendable {
    case destructive, cancel, confirm, close
}

/// A button.
public struct Button<Label: View>: PrimitiveView {
    public init(
        role: ButtonRole? = nil, action: @escaping @MainActor () -> Void,
        @ViewBuilder label: () -> Label
    ) {}
}

extension Button where Label == Text {
    public init(
        _ title: LocalizedStringKey, role: ButtonRole? = nil,
        action: @escaping @MainActor () -> Void
    ) {}
    @_disfavoredOverload
    public init(
        _ title: some StringProtocol, role: ButtonRole? = nil,
        action: @escaping @MainActor () -> Void
    ) {}
}

extension Button where Label == SwiftUI.Label<Text, Image> {
    public init(
        _ title: LocalizedStringKey, systemImage: String, role: ButtonRole? = nil,
        action: @escaping @MainActor () -> Void
    ) {}
    @_disfavoredOverload
    public init(
        _ title: some StringProtocol, systemImage: String, role: ButtonRole? = nil,
        action: @escaping @MainActor () -> Void
    ) {}
}

/// A switch.
public struct Toggle<Label: View>: PrimitiveView {
    public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Label) {}
}

extension Toggle where Label == Text {
    public init(_ title: LocalizedStringKey, isOn: Binding<Bool>) {}
    @_disfavoredOverload
    public init(_ title: some StringProtocol, isOn: Binding<Bool>) {}
}

/// A field for text.
public struct TextField: PrimitiveView {
    public init(_ title: LocalizedStringKey, text: Binding<String>, axis: Axis = .horizontal) {}
    public init(
        _ title: LocalizedStringKey, text: Binding<String>, prompt: Text?,
        axis: Axis = .horizontal
    ) {}
    @_disfavoredOverload
    public init(
        _ title: some StringProtocol, text: Binding<String>, axis: Axis = .horizontal
    ) {}
    public init<Style: ParseableFormatStyle>(
        _ title: LocalizedStringKey, value: Binding<Style.FormatInput>, format: Style
    ) where Style.FormatOutput == String {}
}

/// A secure text field.
public struct SecureField: PrimitiveView {
    public init(_ title: LocalizedStringKey, text: Binding<String>) {}
}

/// A field for long text.
public struct TextEditor: PrimitiveView {
    public init(text: Binding<String>) {}
}

/// A slider.
public struct Slider: PrimitiveView {
    public init<V: BinaryFloatingPoint>(
        value: Binding<V>, in bounds: ClosedRange<V> = 0...1, step: V? = nil
    ) {}
    public init<V: BinaryFloatingPoint>(
        value: Binding<V>, in bounds: ClosedRange<V> = 0...1, step: V? = nil,
        @ViewBuilder label: () -> some View
    ) {}
}

/// A stepper.
public struct Stepper: PrimitiveView {
    public init<V: Strideable>(
        _ title: LocalizedStringKey, value: Binding<V>, in bounds: ClosedRange<V>,
        step: V.Stride? = nil
    ) {}
    public init<V: Strideable>(_ title: LocalizedStringKey, value: Binding<V>) {}
    public init<V: Strideable>(
        value: Binding<V>, in bounds: ClosedRange<V>, step: V.Stride = 1,
        @ViewBuilder label: () -> some View
    ) {}
    public init(
        _ title: LocalizedStringKey, onIncrement: (() -> Void)?, onDecrement: (() -> Void)?
    ) {}
}

/// One of several values.
public struct Picker<Selection: Hashable, Content: View>: PrimitiveView {
    public init(
        _ title: LocalizedStringKey, selection: Binding<Selection>,
        @ViewBuilder content: () -> Content
    ) {}
    @_disfavoredOverload
    public init(
        _ title: some StringProtocol, selection: Binding<Selection>,
        @ViewBuilder content: () -> Content
    ) {}
    public init(
        selection: Binding<Selection>, label: some View, @ViewBuilder content: () -> Content
    ) {}
    public init(
        selection: Binding<Selection>, @ViewBuilder content: () -> Content,
        @ViewBuilder label: () -> some View
    ) {}
}

/// A date.
public struct DatePicker: PrimitiveView {
    /// The components that can be picked.
    public struct Components: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        public static let date = Self(rawValue: 1)
        public static let hourAndMinute = Self(rawValue: 2)
    }

    public init(
        _ title: LocalizedStringKey, selection: Binding<Date>,
        displayedComponents: Components = [.date, .hourAndMinute]
    ) {}
    public init(
        _ title: LocalizedStringKey, selection: Binding<Date>, in range: some RangeExpression<Date>,
        displayedComponents: Components = [.date, .hourAndMinute]
    ) {}
}

/// A menu.
public struct Menu<Content: View>: PrimitiveView {
    public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {}
    public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> some View) {}
}

/// A link to a page.
public struct Link: PrimitiveView {
    public init(_ title: LocalizedStringKey, destination: URL) {}
    public init(destination: URL, @ViewBuilder label: () -> some View) {}
}

/// The progress of work.
public struct ProgressView: PrimitiveView {
    public init() {}
    public init(_ title: LocalizedStringKey) {}
    @_disfavoredOverload
    public init(_ title: some StringProtocol) {}
    public init(_ progress: Progress) {}
    public init<V: BinaryFloatingPoint>(value: V?, total: V = 1) {}
    public init<V: BinaryFloatingPoint>(
        _ title: LocalizedStringKey, value: V?, total: V = 1
    ) {}
    public init<V: BinaryFloatingPoint>(
        value: V?, total: V = 1, @ViewBuilder label: () -> some View
    ) {}
    public init<V: BinaryFloatingPoint>(
        value: V?, total: V = 1, @ViewBuilder label: () -> some View,
        @ViewBuilder currentValueLabel: () -> some View
    ) {}
    public init(@ViewBuilder label: () -> some View) {}
}

/// A value in a range.
public struct Gauge: PrimitiveView {
    public init<V: BinaryFloatingPoint>(
        value: V, in bounds: ClosedRange<V> = 0...1, @ViewBuilder label: () -> some View
    ) {}
}

/// A name and a value.
public struct LabeledContent<Content: View>: PrimitiveView {
    public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {}
}

extension LabeledContent where Content == Text {
    public init(_ title: LocalizedStringKey, value: some StringProtocol) {}
    public init<Style: FormatStyle>(
        _ title: LocalizedStringKey, value: Style.FormatInput, format: Style
    ) {}
}

/// A placeholder for missing content.
public struct ContentUnavailableView: PrimitiveView {
    public init(
        _ title: LocalizedStringKey, systemImage name: String, description: Text? = nil
    ) {}
    public init(
        @ViewBuilder label: () -> some View,
        @ViewBuilder description: () -> some View = { EmptyView() },
        @ViewBuilder actions: () -> some View = { EmptyView() }
    ) {}

    /// The text for a search without results.
    public static var search: ContentUnavailableView { search(text: "") }
    public static func search(text: String) -> ContentUnavailableView {
        ContentUnavailableView("No Results", systemImage: "magnifyingglass")
    }
}

/// An image from a server, which is never loaded.
public struct AsyncImage: PrimitiveView {
    public init(url: URL?, scale: CGFloat = 1) {}
    public init(
        url: URL?, scale: CGFloat = 1, @ViewBuilder content: @escaping (Image) -> some View,
        @ViewBuilder placeholder: @escaping () -> some View
    ) {}
    public init(
        url: URL?, scale: CGFloat = 1, transaction: Transaction = Transaction(),
        @ViewBuilder content: @escaping (AsyncImagePhase) -> some View
    ) {}
}

/// The loading state of an image.
public enum AsyncImagePhase {
    case empty
    case success(Image)
    case failure(any Error)

    public var image: Image? {
        if case .success(let image) = self { image } else { nil }
    }
    public var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}

/// A spacer.
public struct Spacer: PrimitiveView {
    public init(minLength: CGFloat? = nil) {}
}

/// A line between views.
public struct Divider: PrimitiveView {
    public init() {}
}

/// An outline, which is never drawn.
public protocol Shape: PrimitiveView {
    /// Never called; an empty path unless a shape has its own.
    nonisolated func path(in rect: CGRect) -> Path
}

extension Shape {
    public func fill(_ color: Color) -> some Shape { self }
    public func stroke(_ color: Color, lineWidth: CGFloat = 1) -> some Shape { self }
}

public struct Rectangle: Shape { public init() {} }
public struct Circle: Shape { public init() {} }

public struct Capsule: Shape {
    public init(style: RoundedCornerStyle = .continuous) {}
}

public struct RoundedRectangle: Shape {
    public init(cornerRadius: CGFloat, style: RoundedCornerStyle = .continuous) {}
}

/// A UIKit controller with a view, which is never shown.
public final class UIHostingController<Content: View>: UIViewController {
    public let rootView: Content

    public init(rootView: Content) {
        self.rootView = rootView
        super.init(nibName: nil, bundle: nil)
    }

    public required init?(coder: NSCoder) {
        nil
    }
}

// MARK: further controls

/// Turns the editing of a list on and off.
public struct EditButton: PrimitiveView {
    public init() {}
}

/// Shares nothing: bgrun has no recipients.
public struct ShareLink: PrimitiveView {
    public init(item: some Any, subject: Text? = nil, message: Text? = nil) {}
    public init(_ title: LocalizedStringKey, item: some Any) {}
    public init(item: some Any, @ViewBuilder label: () -> some View) {}
}

/// Selects a colour.
public struct ColorPicker: PrimitiveView {
    public init(
        _ title: LocalizedStringKey, selection: Binding<Color>, supportsOpacity: Bool = true
    ) {}
}
