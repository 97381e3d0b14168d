// SPDX-License-Identifier: Apache-2.0

/// One of several screens.
public struct Tab<Content: View>: PrimitiveView {
    public init(
        _ title: LocalizedStringKey, systemImage: String, role: TabRole? = nil,
        @ViewBuilder content: () -> Content
    ) {}
    @_disfavoredOverload
    public init(
        _ title: some StringProtocol, systemImage: String, role: TabRole? = nil,
        @ViewBuilder content: () -> Content
    ) {}
    public init(
        _ title: LocalizedStringKey, image: String, role: TabRole? = nil,
        @ViewBuilder content: () -> Content
    ) {}
    public init(role: TabRole?, @ViewBuilder content: () -> Content) {}
    public init(
        role: TabRole? = nil, @ViewBuilder content: () -> Content,
        @ViewBuilder label: () -> some View
    ) {}
}

// The forms with the value that selects the tab.
extension Tab {
    public init(
        _ title: LocalizedStringKey, systemImage: String, value: some Hashable,
        role: TabRole? = nil, @ViewBuilder content: () -> Content
    ) {}
    @_disfavoredOverload
    public init(
        _ title: some StringProtocol, systemImage: String, value: some Hashable,
        role: TabRole? = nil, @ViewBuilder content: () -> Content
    ) {}
    public init(
        _ title: LocalizedStringKey, image: String, value: some Hashable,
        role: TabRole? = nil, @ViewBuilder content: () -> Content
    ) {}
    public init(
        value: some Hashable, role: TabRole? = nil, @ViewBuilder content: () -> Content
    ) {}
    public init(
        value: some Hashable, role: TabRole? = nil, @ViewBuilder content: () -> Content,
        @ViewBuilder label: () -> some View
    ) {}
}

/// The purpose of a tab.
public struct TabRole: Hashable, Sendable {
    private let name: String

    public static let search = TabRole(name: "search")
}
