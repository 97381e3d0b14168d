// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Controls, which nobody touches: no action is called.

/// What a control does when it is touched.
public struct UIControlEvent: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    public static let touchDown = Self(rawValue: 1 << 0)
    public static let touchUpInside = Self(rawValue: 1 << 6)
    public static let valueChanged = Self(rawValue: 1 << 12)
    public static let primaryActionTriggered = Self(rawValue: 1 << 13)
    public static let editingDidBegin = Self(rawValue: 1 << 16)
    public static let editingChanged = Self(rawValue: 1 << 17)
    public static let editingDidEnd = Self(rawValue: 1 << 18)
}

/// A closure for a control. It is kept by nothing.
@preconcurrency @MainActor
public final class UIAction: NSObject {
    public typealias Handler = (UIAction) -> Void

    public let title: String

    public init(
        title: String = "", image: UIImage? = nil, attributes: Attributes = [],
        handler: @escaping Handler
    ) {
        self.title = title
    }

    /// How an action is shown.
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        public static let disabled = Self(rawValue: 1)
        public static let destructive = Self(rawValue: 2)
        public static let hidden = Self(rawValue: 4)
    }
}

/// A view that would be touched.
@preconcurrency @MainActor
open class UIControl: UIView {
    public typealias Event = UIControlEvent

    /// What a control looks like.
    public struct State: OptionSet, Hashable, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        public static let normal: State = []
        public static let highlighted = Self(rawValue: 1)
        public static let disabled = Self(rawValue: 2)
        public static let selected = Self(rawValue: 4)
    }

    open var isEnabled = true
    open var isSelected = false

    open func addAction(_ action: UIAction, for events: Event) {}
}

/// A button.
@preconcurrency @MainActor
open class UIButton: UIControl {
    /// What kind of button it is.
    public enum ButtonType: Int, Sendable {
        case custom, system, detailDisclosure, infoLight, infoDark, contactAdd, plain, close
    }

    /// What a button looks like.
    public struct Configuration: Sendable {
        public var title: String?
        public var subtitle: String?
        public var image: UIImage?
        public var imagePadding: CGFloat = 0
        public var showsActivityIndicator = false
        public var baseBackgroundColor: UIColor?
        public var baseForegroundColor: UIColor?

        public static func plain() -> Self { Self() }
        public static func filled() -> Self { Self() }
        public static func tinted() -> Self { Self() }
        public static func gray() -> Self { Self() }
        public static func bordered() -> Self { Self() }
        public static func borderedProminent() -> Self { Self() }
    }

    open var configuration: Configuration?
    open lazy var titleLabel: UILabel? = UILabel()
    private var titles: [UInt: String] = [:]

    public override init(frame: CGRect = .zero) {
        super.init(frame: frame)
    }

    public convenience init(type: ButtonType = .system, primaryAction: UIAction? = nil) {
        self.init(frame: .zero)
    }

    public convenience init(configuration: Configuration, primaryAction: UIAction? = nil) {
        self.init(frame: .zero)
        self.configuration = configuration
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open func setTitle(_ title: String?, for state: UIControl.State) {
        titles[state.rawValue] = title
    }

    open func title(for state: UIControl.State) -> String? { titles[state.rawValue] }
    open func setImage(_ image: UIImage?, for state: UIControl.State) {}
    open func setTitleColor(_ color: UIColor?, for state: UIControl.State) {}
}

/// A switch.
@preconcurrency @MainActor
open class UISwitch: UIControl {
    open var isOn = false

    open func setOn(_ on: Bool, animated: Bool) {
        isOn = on
    }
}

/// A number that is set by sliding.
@preconcurrency @MainActor
open class UISlider: UIControl {
    open var value: Float = 0
    open var minimumValue: Float = 0
    open var maximumValue: Float = 1
}

/// One of several segments.
@preconcurrency @MainActor
open class UISegmentedControl: UIControl {
    open var selectedSegmentIndex = -1

    public convenience init(items: [Any]?) {
        self.init(frame: .zero)
    }
}

/// Pulling a list down.
@preconcurrency @MainActor
open class UIRefreshControl: UIControl {
    open var attributedTitle: NSAttributedString?
    open private(set) var isRefreshing = false

    open func beginRefreshing() {
        isRefreshing = true
    }

    open func endRefreshing() {
        isRefreshing = false
    }
}

/// A field for text.
@preconcurrency @MainActor
open class UITextField: UIControl {
    /// The border of a field.
    public enum BorderStyle: Int, Sendable {
        case none, line, bezel, roundedRect
    }

    open var text: String?
    open var placeholder: String?
    open var font: UIFont?
    open var textColor: UIColor?
    open var textAlignment = NSTextAlignment.natural
    open var borderStyle = BorderStyle.none
    open var isSecureTextEntry = false
    open var keyboardType = UIKeyboardType.default
    open weak var delegate: (any UITextFieldDelegate)?
}

/// Told what a person writes: nothing.
@preconcurrency @MainActor
public protocol UITextFieldDelegate: AnyObject {
    func textFieldShouldReturn(_ textField: UITextField) -> Bool
    func textFieldDidBeginEditing(_ textField: UITextField)
    func textFieldDidEndEditing(_ textField: UITextField)
}

extension UITextFieldDelegate {
    public func textFieldShouldReturn(_ textField: UITextField) -> Bool { true }
    public func textFieldDidBeginEditing(_ textField: UITextField) {}
    public func textFieldDidEndEditing(_ textField: UITextField) {}
}

/// Text of many lines.
@preconcurrency @MainActor
open class UITextView: UIView {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var text: String! = ""
    open var font: UIFont?
    open var isEditable = true
}

/// What a keyboard has.
public enum UIKeyboardType: Int, Sendable {
    case `default`, asciiCapable, numbersAndPunctuation, URL, numberPad, phonePad, namePhonePad
    case emailAddress, decimalPad, twitter, webSearch, asciiCapableNumberPad
}

/// What a field is for.
public struct UITextContentType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let username = Self(rawValue: "username")
    public static let password = Self(rawValue: "password")
    public static let newPassword = Self(rawValue: "new-password")
    public static let oneTimeCode = Self(rawValue: "one-time-code")
    public static let emailAddress = Self(rawValue: "email")
    public static let name = Self(rawValue: "name")
    public static let URL = Self(rawValue: "url")
}

/// On which side text begins.
public enum NSTextAlignment: Int, Sendable {
    case left, center, right, justified, natural
}
