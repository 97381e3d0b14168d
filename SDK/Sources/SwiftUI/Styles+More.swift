// SPDX-License-Identifier: Apache-2.0

// Further styles of the app. Their methods are never called.

/// The appearance of a progress view.
@MainActor @preconcurrency
public protocol ProgressViewStyle {
    associatedtype Body: View
    typealias Configuration = ProgressViewStyleConfiguration
    @ViewBuilder func makeBody(configuration: Configuration) -> Body
}

/// Progress that is not shown.
@MainActor @preconcurrency
public struct ProgressViewStyleConfiguration {
    public let fractionCompleted: Double?
    public let label: AnyView?
    public let currentValueLabel: AnyView?
}

/// The appearance of a gauge.
@MainActor @preconcurrency
public protocol GaugeStyle {
    associatedtype Body: View
    typealias Configuration = GaugeStyleConfiguration
    @ViewBuilder func makeBody(configuration: Configuration) -> Body
}

/// A gauge that is not shown.
@MainActor @preconcurrency
public struct GaugeStyleConfiguration {
    public let value: Double
    public let label: AnyView
    public let currentValueLabel: AnyView?
    public let minimumValueLabel: AnyView?
    public let maximumValueLabel: AnyView?
}

/// The appearance of a group box.
@MainActor @preconcurrency
public protocol GroupBoxStyle {
    associatedtype Body: View
    typealias Configuration = GroupBoxStyleConfiguration
    @ViewBuilder func makeBody(configuration: Configuration) -> Body
}

/// A box that is not shown.
@MainActor @preconcurrency
public struct GroupBoxStyleConfiguration {
    public let label: AnyView
    public let content: AnyView
}

/// The appearance of labeled content.
@MainActor @preconcurrency
public protocol LabeledContentStyle {
    associatedtype Body: View
    typealias Configuration = LabeledContentStyleConfiguration
    @ViewBuilder func makeBody(configuration: Configuration) -> Body
}

/// A name and a value that are not shown.
@MainActor @preconcurrency
public struct LabeledContentStyleConfiguration {
    public let label: AnyView
    public let content: AnyView
}

extension View {
    public func progressViewStyle(_ style: some ProgressViewStyle) -> some View { self }
    public func gaugeStyle(_ style: some GaugeStyle) -> some View { self }
    public func groupBoxStyle(_ style: some GroupBoxStyle) -> some View { self }
    public func labeledContentStyle(_ style: some LabeledContentStyle) -> some View { self }
    public func labeledContentStyle(_ style: ViewStyle) -> some View { self }
}

extension ViewStyle {
    public static var linearCapacity: ViewStyle { .linear }
    public static var accessoryCircularCapacity: ViewStyle { .accessoryCircular }
    public static var accessoryLinear: ViewStyle { .linear }
    public static var accessoryLinearCapacity: ViewStyle { .linear }
    public static var sidebarAdaptable: ViewStyle { .sidebar }
    public static var tabBarOnly: ViewStyle { .automatic }
    public static var palette: ViewStyle { .segmented }
    public static var compactMenu: ViewStyle { .menu }
    public static func page(
        indexDisplayMode: PageTabViewStyle.IndexDisplayMode
    ) -> ViewStyle { .page }
    public static func page(
        backgroundDisplayMode: PageTabViewStyle.IndexDisplayMode
    ) -> ViewStyle { .page }
}

extension PageTabViewStyle {
    /// The visibility of the page dots.
    public enum IndexDisplayMode: Sendable {
        case automatic, always, never, interactive
    }

    public init(indexDisplayMode: IndexDisplayMode) {
        self.init()
    }
}
