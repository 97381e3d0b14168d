// SPDX-License-Identifier: Apache-2.0

// Information for assistive technology. No action is called.

extension View {
    public func accessibilityLabel(_ label: Text) -> some View { self }
    public func accessibilityValue(_ value: Text) -> some View { self }
    public func accessibilityHint(_ hint: Text) -> some View { self }
    @_disfavoredOverload
    public func accessibilityHint(_ hint: some StringProtocol) -> some View { self }
    public func accessibility(label: Text) -> some View { self }
    public func accessibility(value: Text) -> some View { self }
    public func accessibility(hidden: Bool) -> some View { self }
    public func accessibilityInputLabels(_ labels: [Text]) -> some View { self }
    public func accessibilityRemoveTraits(_ traits: AccessibilityTraits) -> some View { self }
    public func accessibilitySortPriority(_ priority: Double) -> some View { self }
    public func accessibilityAction(
        _ kind: AccessibilityActionKind = .default, _ handler: @escaping () -> Void
    ) -> some View { self }
    public func accessibilityAction(
        named name: Text, _ handler: @escaping () -> Void
    ) -> some View { self }
    public func accessibilityAction(
        named name: LocalizedStringKey, _ handler: @escaping () -> Void
    ) -> some View { self }
    @_disfavoredOverload
    public func accessibilityAction(
        named name: some StringProtocol, _ handler: @escaping () -> Void
    ) -> some View { self }
    public func accessibilityAction(
        action: @escaping () -> Void, @ViewBuilder label: () -> some View
    ) -> some View { self }
    public func accessibilityActions(@ViewBuilder _ content: () -> some View) -> some View { self }
    public func accessibilityAdjustableAction(
        _ handler: @escaping (AccessibilityAdjustmentDirection) -> Void
    ) -> some View { self }
    public func accessibilityRepresentation(
        @ViewBuilder representation: () -> some View
    ) -> some View { self }
    public func accessibilityChildren(@ViewBuilder children: () -> some View) -> some View { self }
    public func accessibilityShowsLargeContentViewer() -> some View { self }
    public func accessibilityIgnoresInvertColors(_ active: Bool = true) -> some View { self }
    public func speechAnnouncementsQueued(_ value: Bool = true) -> some View { self }
}

/// The kind of an action on an element.
public enum AccessibilityActionKind: Hashable, Sendable {
    case `default`, escape, magicTap, delete, showMenu
}

/// Increment or decrement.
public enum AccessibilityAdjustmentDirection: Sendable {
    case increment, decrement
}

extension AccessibilityTraits {
    public static let allowsDirectInteraction = Self(rawValue: 64)
    public static let isModal = Self(rawValue: 128)
    public static let isStaticText = Self(rawValue: 256)
    public static let isSummaryElement = Self(rawValue: 512)
    public static let isToggle = Self(rawValue: 1024)
    public static let isSearchField = Self(rawValue: 2048)
    public static let isKeyboardKey = Self(rawValue: 4096)
    public static let playsSound = Self(rawValue: 8192)
    public static let startsMediaSession = Self(rawValue: 16384)
    public static let causesPageTurn = Self(rawValue: 32768)
}
