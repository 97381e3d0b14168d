// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Values of the environment that only affect drawing, and actions that do nothing.

extension EnvironmentValues {
    public var accessibilityReduceMotion: Bool { false }
    public var accessibilityReduceTransparency: Bool { false }
    public var accessibilityDifferentiateWithoutColor: Bool { false }
    public var accessibilityVoiceOverEnabled: Bool { false }
    public var accessibilityEnabled: Bool { false }
    public var colorSchemeContrast: ColorSchemeContrast { .standard }
    public var isLuminanceReduced: Bool { false }
    public var supportsMultipleWindows: Bool { false }
    public var pixelLength: CGFloat { 1 }
    public var isScrollEnabled: Bool { true }
    public var sizeCategory: ContentSizeCategory { .large }
    /// Opens no window.
    public var openWindow: OpenWindowAction { OpenWindowAction() }
    /// Closes no window.
    public var dismissWindow: DismissWindowAction { DismissWindowAction() }
    public var redactionReasons: RedactionReasons {
        get { self[Redaction.self] }
        set { self[Redaction.self] = newValue }
    }
    public var font: Font? {
        get { self[FontKey.self] }
        set { self[FontKey.self] = newValue }
    }
    public var lineLimit: Int? {
        get { self[LineLimit.self] }
        set { self[LineLimit.self] = newValue }
    }
    public var lineSpacing: CGFloat {
        get { self[LineSpacing.self] }
        set { self[LineSpacing.self] = newValue }
    }
    public var controlSize: ControlSize {
        get { self[Size.self] }
        set { self[Size.self] = newValue }
    }
}

private enum Redaction: EnvironmentKey { static let defaultValue: RedactionReasons = [] }
private enum FontKey: EnvironmentKey { static let defaultValue: Font? = nil }
private enum LineLimit: EnvironmentKey { static let defaultValue: Int? = nil }
private enum LineSpacing: EnvironmentKey { static let defaultValue: CGFloat = 0 }
private enum Size: EnvironmentKey { static let defaultValue = ControlSize.regular }

/// The contrast of colours.
public enum ColorSchemeContrast: Hashable, CaseIterable, Sendable {
    case standard, increased
}

/// The size of text, as before iOS 15.
public enum ContentSizeCategory: Hashable, CaseIterable, Sendable {
    case extraSmall, small, medium, large, extraLarge, extraExtraLarge, extraExtraExtraLarge
    case accessibilityMedium, accessibilityLarge, accessibilityExtraLarge
    case accessibilityExtraExtraLarge, accessibilityExtraExtraExtraLarge

    public var isAccessibilityCategory: Bool { false }
}

/// Does nothing.
@MainActor @preconcurrency
public struct OpenWindowAction: Sendable {
    public func callAsFunction(id: String) {}
    public func callAsFunction<Value: Codable & Hashable>(value: Value) {}
    public func callAsFunction<Value: Codable & Hashable>(id: String, value: Value) {}
}

/// Does nothing.
@MainActor @preconcurrency
public struct DismissWindowAction: Sendable {
    public func callAsFunction() {}
    public func callAsFunction(id: String) {}
}

extension OpenURLAction {
    /// Opens nothing, as without `completion`, which receives false.
    public func callAsFunction(_ url: URL, completion: @escaping (_ accepted: Bool) -> Void) {
        UIApplication.shared.open(url)
        completion(false)
    }
}
