// SPDX-License-Identifier: Apache-2.0

// Styles of controls. Their methods are never called.

/// The appearance of a button.
@MainActor @preconcurrency
public protocol ButtonStyle {
    associatedtype Body: View
    typealias Configuration = ButtonStyleConfiguration
    @ViewBuilder func makeBody(configuration: Configuration) -> Body
}

/// The appearance and the interaction of a button.
@MainActor @preconcurrency
public protocol PrimitiveButtonStyle {
    associatedtype Body: View
    typealias Configuration = ButtonStyleConfiguration
    @ViewBuilder func makeBody(configuration: Configuration) -> Body
}

/// A button that is not shown.
@MainActor @preconcurrency
public struct ButtonStyleConfiguration {
    public let label: AnyView
    public let role: ButtonRole?
    public let isPressed: Bool

    public func trigger() {}
}

/// The appearance of a switch.
@MainActor @preconcurrency
public protocol ToggleStyle {
    associatedtype Body: View
    typealias Configuration = ToggleStyleConfiguration
    @ViewBuilder func makeBody(configuration: Configuration) -> Body
}

/// A switch that is not shown.
@MainActor @preconcurrency
public struct ToggleStyleConfiguration {
    public let label: AnyView
    @Binding public var isOn: Bool
}

/// The appearance of a label.
@MainActor @preconcurrency
public protocol LabelStyle {
    associatedtype Body: View
    typealias Configuration = LabelStyleConfiguration
    @ViewBuilder func makeBody(configuration: Configuration) -> Body
}

/// A label that is not shown.
@MainActor @preconcurrency
public struct LabelStyleConfiguration {
    public let title: AnyView
    public let icon: AnyView
}

/// A style of Apple with a separate type.
public protocol NamedViewStyle: Sendable {}

public struct PlainButtonStyle: NamedViewStyle { public init() {} }
public struct BorderedButtonStyle: NamedViewStyle { public init() {} }
public struct BorderedProminentButtonStyle: NamedViewStyle { public init() {} }
public struct BorderlessButtonStyle: NamedViewStyle { public init() {} }
public struct DefaultButtonStyle: NamedViewStyle { public init() {} }
public struct PlainListStyle: NamedViewStyle { public init() {} }
public struct GroupedListStyle: NamedViewStyle { public init() {} }
public struct InsetListStyle: NamedViewStyle { public init() {} }
public struct InsetGroupedListStyle: NamedViewStyle { public init() {} }
public struct SidebarListStyle: NamedViewStyle { public init() {} }
public struct RoundedBorderTextFieldStyle: NamedViewStyle { public init() {} }
public struct PlainTextFieldStyle: NamedViewStyle { public init() {} }
public struct SegmentedPickerStyle: NamedViewStyle { public init() {} }
public struct WheelPickerStyle: NamedViewStyle { public init() {} }
public struct MenuPickerStyle: NamedViewStyle { public init() {} }
public struct PageTabViewStyle: NamedViewStyle { public init() {} }
public struct StackNavigationViewStyle: NamedViewStyle { public init() {} }
public struct DefaultNavigationViewStyle: NamedViewStyle { public init() {} }

public struct SwitchToggleStyle: NamedViewStyle {
    public init() {}
    public init(tint: Color) {}
}

public struct LinearProgressViewStyle: NamedViewStyle {
    public init() {}
    public init(tint: Color) {}
}

public struct CircularProgressViewStyle: NamedViewStyle {
    public init() {}
    public init(tint: Color) {}
}

extension View {
    public func buttonStyle(_ style: some ButtonStyle) -> some View { self }
    public func buttonStyle(_ style: some PrimitiveButtonStyle) -> some View { self }
    public func buttonStyle(_ style: some NamedViewStyle) -> some View { self }
    public func toggleStyle(_ style: some ToggleStyle) -> some View { self }
    public func toggleStyle(_ style: some NamedViewStyle) -> some View { self }
    public func labelStyle(_ style: some LabelStyle) -> some View { self }
    public func listStyle(_ style: some NamedViewStyle) -> some View { self }
    public func textFieldStyle(_ style: some NamedViewStyle) -> some View { self }
    public func pickerStyle(_ style: some NamedViewStyle) -> some View { self }
    public func tabViewStyle(_ style: some NamedViewStyle) -> some View { self }
    public func navigationViewStyle(_ style: some NamedViewStyle) -> some View { self }
    public func progressViewStyle(_ style: some NamedViewStyle) -> some View { self }
    public func menuStyle(_ style: ViewStyle) -> some View { self }
    public func datePickerStyle(_ style: ViewStyle) -> some View { self }
    public func gaugeStyle(_ style: ViewStyle) -> some View { self }
    public func groupBoxStyle(_ style: ViewStyle) -> some View { self }
}
