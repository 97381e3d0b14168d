// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Names of notifications, which are never posted, and of attributes of texts.

extension UIResponder {
    public nonisolated static let keyboardWillShowNotification = NSNotification.Name(
        "UIKeyboardWillShowNotification")
    public nonisolated static let keyboardDidShowNotification = NSNotification.Name(
        "UIKeyboardDidShowNotification")
    public nonisolated static let keyboardWillHideNotification = NSNotification.Name(
        "UIKeyboardWillHideNotification")
    public nonisolated static let keyboardDidHideNotification = NSNotification.Name(
        "UIKeyboardDidHideNotification")
    public nonisolated static let keyboardWillChangeFrameNotification = NSNotification.Name(
        "UIKeyboardWillChangeFrameNotification")
    public nonisolated static let keyboardDidChangeFrameNotification = NSNotification.Name(
        "UIKeyboardDidChangeFrameNotification")
    public nonisolated static let keyboardFrameBeginUserInfoKey = "UIKeyboardFrameBeginUserInfoKey"
    public nonisolated static let keyboardFrameEndUserInfoKey = "UIKeyboardFrameEndUserInfoKey"
    public nonisolated static let keyboardAnimationDurationUserInfoKey =
        "UIKeyboardAnimationDurationUserInfoKey"
    public nonisolated static let keyboardAnimationCurveUserInfoKey =
        "UIKeyboardAnimationCurveUserInfoKey"
}

extension UITextField {
    public nonisolated static let textDidChangeNotification = NSNotification.Name(
        "UITextFieldTextDidChangeNotification")
}

extension UITextView {
    public nonisolated static let textDidChangeNotification = NSNotification.Name(
        "UITextViewTextDidChangeNotification")
}

extension UIScene {
    public nonisolated static let didDisconnectNotification = NSNotification.Name(
        "UISceneDidDisconnectNotification")
}

extension UIDevice {
    public nonisolated static let orientationDidChangeNotification = NSNotification.Name(
        "UIDeviceOrientationDidChangeNotification")
    public nonisolated static let proximityStateDidChangeNotification = NSNotification.Name(
        "UIDeviceProximityStateDidChangeNotification")

    public func beginGeneratingDeviceOrientationNotifications() {}
    public func endGeneratingDeviceOrientationNotifications() {}
    public var isGeneratingDeviceOrientationNotifications: Bool { false }
    public var proximityState: Bool { false }
    public var isProximityMonitoringEnabled: Bool {
        get { false }
        set { _ = newValue }
    }
}

extension NSAttributedString.Key {
    public static let font = Self(rawValue: "NSFont")
    public static let foregroundColor = Self(rawValue: "NSColor")
    public static let backgroundColor = Self(rawValue: "NSBackgroundColor")
    public static let paragraphStyle = Self(rawValue: "NSParagraphStyle")
    public static let kern = Self(rawValue: "NSKern")
    public static let underlineStyle = Self(rawValue: "NSUnderline")
    public static let underlineColor = Self(rawValue: "NSUnderlineColor")
    public static let strikethroughStyle = Self(rawValue: "NSStrikethrough")
    public static let strokeColor = Self(rawValue: "NSStrokeColor")
    public static let strokeWidth = Self(rawValue: "NSStrokeWidth")
    public static let baselineOffset = Self(rawValue: "NSBaselineOffset")
    public static let link = Self(rawValue: "NSLink")
    public static let attachment = Self(rawValue: "NSAttachment")
    public static let shadow = Self(rawValue: "NSShadow")
}

/// The style of a line below or through text.
public struct NSUnderlineStyle: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public static let single = Self(rawValue: 1)
    public static let thick = Self(rawValue: 2)
    public static let double = Self(rawValue: 9)
}

/// The style of a paragraph.
open class NSParagraphStyle: NSObject {
    public override init() {
        super.init()
    }
}

/// The style of a paragraph.
open class NSMutableParagraphStyle: NSParagraphStyle {
    open var alignment = NSTextAlignment.natural
    open var lineSpacing: CGFloat = 0
    open var paragraphSpacing: CGFloat = 0
    open var lineBreakMode = NSLineBreakMode.byWordWrapping
    open var firstLineHeadIndent: CGFloat = 0
    open var headIndent: CGFloat = 0
}

/// The name of a method. It cannot be called by its name: `#selector` needs Objective-C.
public struct Selector: ExpressibleByStringLiteral, Hashable, Sendable {
    let name: String

    public init(_ name: String) {
        self.name = name
    }

    public init(stringLiteral name: String) {
        self.name = name
    }
}

extension UIControl {
    /// No action is called.
    public func addTarget(_ target: Any?, action: Selector, for controlEvents: Event) {}
    public func removeTarget(_ target: Any?, action: Selector?, for controlEvents: Event) {}
}

/// Gives no feedback.
public final class UISelectionFeedbackGenerator: UIFeedbackGenerator {
    public func selectionChanged() {}
}

extension UIImpactFeedbackGenerator {
    public func impactOccurred(intensity: CGFloat) {}
}

/// The sizes of fonts, which do not change.
@preconcurrency @MainActor
public final class UIFontMetrics: NSObject {
    public static let `default` = UIFontMetrics(forTextStyle: .body)

    public init(forTextStyle textStyle: UIFont.TextStyle) {}

    public func scaledFont(for font: UIFont) -> UIFont { font }
    public func scaledValue(for value: CGFloat) -> CGFloat { value }
}
