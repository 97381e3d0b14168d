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
    public init(_ title: LocalizedStringKey, text: Binding<String>) {}
    @_disfavoredOverload
    public init(_ title: some StringProtocol, text: Binding<String>) {}
    public init<Style: ParseableFormatStyle>(
        _ title: LocalizedStringKey, value: Binding<Style.FormatInput>, format: Style
    ) where Style.FormatOutput == String {}
}

/// A field for a secret.
public struct SecureField: PrimitiveView {
    public init(_ title: LocalizedStringKey, text: Binding<String>) {}
}

/// A field for much text.
public struct TextEditor: PrimitiveView {
    public init(text: Binding<String>) {}
}

/// A slider.
public struct Slider: PrimitiveView {
    public init<V: BinaryFloatingPoint>(
        value: Binding<V>, in bounds: ClosedRange<V> = 0...1, step: V? = nil
    ) {}
}

/// A stepper.
public struct Stepper: PrimitiveView {
    public init<V: Strideable>(
        _ title: LocalizedStringKey, value: Binding<V>, in bounds: ClosedRange<V>,
        step: V.Stride? = nil
    ) {}
    public init<V: Strideable>(_ title: LocalizedStringKey, value: Binding<V>) {}
}

/// One of several values.
public struct Picker<Selection: Hashable, Content: View>: PrimitiveView {
    public init(
        _ title: LocalizedStringKey, selection: Binding<Selection>,
        @ViewBuilder content: () -> Content
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
}

/// A picture from a server, which is never loaded.
public struct AsyncImage: PrimitiveView {
    public init(url: URL?, scale: CGFloat = 1) {}
    public init(
        url: URL?, scale: CGFloat = 1, @ViewBuilder content: @escaping (Image) -> some View,
        @ViewBuilder placeholder: @escaping () -> some View
    ) {}
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
public protocol Shape: PrimitiveView {}

extension Shape {
    public func fill(_ color: Color) -> some View { self }
    public func stroke(_ color: Color, lineWidth: CGFloat = 1) -> some View { self }
}

public struct Rectangle: Shape { public init() {} }
public struct Circle: Shape { public init() {} }
public struct Capsule: Shape { public init() {} }
public struct RoundedRectangle: Shape { public init(cornerRadius: CGFloat) {} }

/// Shows a view in a controller of UIKit, where nothing is shown.
public final class UIHostingController<Content: View>: UIViewController {
    public let rootView: Content

    public init(rootView: Content) {
        self.rootView = rootView
        super.init()
    }

    public required init?(coder: NSCoder) {
        nil
    }
}
