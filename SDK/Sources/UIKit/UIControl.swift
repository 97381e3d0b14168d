// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Controls, which are never touched: no action is called.

/// An event of a control.
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

/// A closure for a control, which is not stored.
@preconcurrency @MainActor
public final class UIAction: UIMenuElement {
    public typealias Handler = (UIAction) -> Void

    /// Always nil: controls are never touched.
    public var sender: Any? { nil }
    public var state: State
    public var attributes: Attributes

    public init(
        title: String = "", subtitle: String? = nil, image: UIImage? = nil,
        identifier: Identifier? = nil, discoverabilityTitle: String? = nil,
        attributes: Attributes = [], state: State = .off, handler: @escaping Handler
    ) {
        self.state = state
        self.attributes = attributes
        super.init(title: title, image: image)
    }

    /// The name of an action.
    public struct Identifier: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The appearance of an action.
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

/// A touchable view.
@preconcurrency @MainActor
open class UIControl: UIView {
    public typealias Event = UIControlEvent

    /// The appearance of a control.
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

    open var isHighlighted = false
    open var isTracking: Bool { false }

    open func addAction(_ action: UIAction, for events: Event) {}
    open func removeAction(_ action: UIAction, for events: Event) {}
    /// Calls nothing.
    open func sendActions(for events: Event) {}
    /// Calls nothing.
    open func sendAction(_ action: UIAction) {}
}

/// A button.
@preconcurrency @MainActor
open class UIButton: UIControl {
    /// The type of a button.
    public enum ButtonType: Int, Sendable {
        case custom, system, detailDisclosure, infoLight, infoDark, contactAdd, plain, close
    }

    open var configuration: Configuration?
    open lazy var titleLabel: UILabel? = UILabel()
    private var titles: [UInt: String] = [:]

    public override init(frame: CGRect) {
        super.init(frame: frame)
    }

    public convenience init(type: ButtonType) {
        self.init(frame: .zero)
    }

    public convenience init(type: ButtonType = .system, primaryAction: UIAction?) {
        self.init(frame: .zero)
    }

    public convenience init(frame: CGRect, primaryAction: UIAction?) {
        self.init(frame: frame)
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
    open func setAttributedTitle(_ title: NSAttributedString?, for state: UIControl.State) {}
    open func setBackgroundImage(_ image: UIImage?, for state: UIControl.State) {}
    open var currentTitle: String? { titles[UIControl.State.normal.rawValue] }
    open lazy var imageView: UIImageView? = UIImageView()
    open var menu: UIMenu?
    open var showsMenuAsPrimaryAction = false
    open var changesSelectionAsPrimaryAction = false
    open func setNeedsUpdateConfiguration() {}
}

/// A switch.
@preconcurrency @MainActor
open class UISwitch: UIControl {
    open var isOn = false
    open var onTintColor: UIColor?
    open var thumbTintColor: UIColor?

    open func setOn(_ on: Bool, animated: Bool) {
        isOn = on
    }
}

/// A slider.
@preconcurrency @MainActor
open class UISlider: UIControl {
    open var value: Float = 0
    open var minimumValue: Float = 0
    open var maximumValue: Float = 1
    open var isContinuous = true
    open var minimumTrackTintColor: UIColor?

    open func setValue(_ value: Float, animated: Bool) {
        self.value = value
    }
}

/// One of several segments.
@preconcurrency @MainActor
open class UISegmentedControl: UIControl {
    open var selectedSegmentIndex = -1
    open private(set) var numberOfSegments = 0

    public convenience init(items: [Any]?) {
        self.init(frame: .zero)
        numberOfSegments = items?.count ?? 0
    }
}

/// A control for pulling a list down.
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
    private var shownInput: UIView?
    private var shownAccessory: UIView?
    open override var inputView: UIView? {
        get { shownInput }
        set { shownInput = newValue }
    }
    open override var inputAccessoryView: UIView? {
        get { shownAccessory }
        set { shownAccessory = newValue }
    }
    open var textColor: UIColor?
    open var textAlignment = NSTextAlignment.natural
    open var borderStyle = BorderStyle.none
    open var adjustsFontForContentSizeCategory = false
    open var isSecureTextEntry = false
    open var keyboardType = UIKeyboardType.default
    open weak var delegate: (any UITextFieldDelegate)?
    open var returnKeyType = UIReturnKeyType.default
    open var autocorrectionType = UITextAutocorrectionType.default
    open var autocapitalizationType = UITextAutocapitalizationType.sentences
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var textContentType: UITextContentType!
    open var clearButtonMode = ViewMode.never
    open var enablesReturnKeyAutomatically = false
    open var attributedText: NSAttributedString?
    open var attributedPlaceholder: NSAttributedString?
    open var leftView: UIView?
    open var rightView: UIView?
    open var leftViewMode = ViewMode.never
    open var rightViewMode = ViewMode.never
    open var isEditing: Bool { false }

    /// The visibility of something beside the text.
    public enum ViewMode: Int, Sendable {
        case never, whileEditing, unlessEditing, always
    }
}

/// Would be notified of edits.
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

/// Text of several lines.
@preconcurrency @MainActor
open class UITextView: UIScrollView {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var text: String! = ""
    open var font: UIFont?
    private var shownInput: UIView?
    private var shownAccessory: UIView?
    open override var inputView: UIView? {
        get { shownInput }
        set { shownInput = newValue }
    }
    open override var inputAccessoryView: UIView? {
        get { shownAccessory }
        set { shownAccessory = newValue }
    }
    open var isEditable = true
    open var isSelectable = true
    open weak var delegate: (any UITextViewDelegate)?
    open var textColor: UIColor?
    open var textAlignment = NSTextAlignment.natural
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var attributedText: NSAttributedString! = NSAttributedString(string: "")
    open var selectedRange = NSRange(location: 0, length: 0)
    open var textContainerInset = UIEdgeInsets.zero
    open var adjustsFontForContentSizeCategory = false
    open var keyboardType = UIKeyboardType.default
    open var returnKeyType = UIReturnKeyType.default
    open var autocorrectionType = UITextAutocorrectionType.default

    open func scrollRangeToVisible(_ range: NSRange) {}
}

/// Would be notified of edits.
@preconcurrency @MainActor
public protocol UITextViewDelegate: UIScrollViewDelegate {
    func textViewDidChange(_ textView: UITextView)
    func textViewDidBeginEditing(_ textView: UITextView)
    func textViewDidEndEditing(_ textView: UITextView)
}

extension UITextViewDelegate {
    public func textViewDidChange(_ textView: UITextView) {}
    public func textViewDidBeginEditing(_ textView: UITextView) {}
    public func textViewDidEndEditing(_ textView: UITextView) {}
}

/// The layout of a keyboard.
public enum UIKeyboardType: Int, Sendable {
    case `default`, asciiCapable, numbersAndPunctuation, URL, numberPad, phonePad, namePhonePad
    case emailAddress, decimalPad, twitter, webSearch, asciiCapableNumberPad
}

/// The purpose of a field.
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

/// The alignment of text.
public enum NSTextAlignment: Int, Sendable {
    case left, center, right, justified, natural
}
