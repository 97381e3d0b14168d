// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Menus and pickers, which are never opened.

/// An element of a menu.
@preconcurrency @MainActor
open class UIMenuElement: NSObject {
    public typealias State = UIMenuElementState

    public let title: String
    public let image: UIImage?

    init(title: String, image: UIImage?) {
        self.title = title
        self.image = image
    }
}

/// Whether an item of a menu is marked.
public enum UIMenuElementState: Int, Sendable {
    case off, on, mixed
}

/// A menu.
@preconcurrency @MainActor
public final class UIMenu: UIMenuElement {
    /// The display of a menu in another.
    public struct Options: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        public static let displayInline = Self(rawValue: 1)
        public static let destructive = Self(rawValue: 2)
        public static let singleSelection = Self(rawValue: 32)
        public static let displayAsPalette = Self(rawValue: 128)
    }

    public let children: [UIMenuElement]
    public let options: Options

    public init(
        title: String = "", subtitle: String? = nil, image: UIImage? = nil,
        options: Options = [], children: [UIMenuElement] = []
    ) {
        self.children = children
        self.options = options
        super.init(title: title, image: image)
    }
}

extension UIBarButtonItem {
    public convenience init(
        image: UIImage?, style: Style, target: AnyObject?, action: Selector?
    ) {
        self.init(title: nil, image: image)
    }

    public convenience init(
        title: String?, style: Style, target: AnyObject?, action: Selector?
    ) {
        self.init(title: title)
    }

    public convenience init(
        barButtonSystemItem systemItem: SystemItem, target: Any?, action: Selector?
    ) {
        self.init(systemItem: systemItem)
    }

    /// The style of a button.
    public enum Style: Int, Sendable {
        case plain = 0
        case done = 2
    }
}

/// A date.
@preconcurrency @MainActor
open class UIDatePicker: UIControl {
    /// The values to pick.
    public enum Mode: Int, Sendable {
        case time, date, dateAndTime, countDownTimer
    }

    /// The appearance of the picker.
    public enum Style: Int, Sendable {
        case automatic, wheels, compact, inline
    }

    open var datePickerMode = Mode.dateAndTime
    open var preferredDatePickerStyle = Style.automatic
    open var date = Date()
    open var minimumDate: Date?
    open var maximumDate: Date?
    open var minuteInterval = 1
    open var countDownDuration: TimeInterval = 0
    open var locale: Locale?
    open var timeZone: TimeZone?

    open func setDate(_ date: Date, animated: Bool) {
        self.date = date
    }
}

/// A stepper.
@preconcurrency @MainActor
open class UIStepper: UIControl {
    open var value = 0.0
    open var minimumValue = 0.0
    open var maximumValue = 100.0
    open var stepValue = 1.0
}

/// A page control.
@preconcurrency @MainActor
open class UIPageControl: UIControl {
    open var numberOfPages = 0
    open var currentPage = 0
}

/// The key that ends a text.
public enum UIReturnKeyType: Int, Sendable {
    case `default`, go, google, join, next, route, search, send, yahoo, done, emergencyCall
    case `continue`
}

/// Whether text is corrected.
public enum UITextAutocorrectionType: Int, Sendable {
    case `default`, no, yes
}

/// The automatic capitalization.
public enum UITextAutocapitalizationType: Int, Sendable {
    case none, words, sentences, allCharacters
}

/// The line breaks of a text.
public enum NSLineBreakMode: Int, Sendable {
    case byWordWrapping, byCharWrapping, byClipping, byTruncatingHead, byTruncatingTail
    case byTruncatingMiddle
}

/// Insets from the edges.
public struct UIEdgeInsets: Hashable, Sendable {
    public var top: CGFloat
    public var left: CGFloat
    public var bottom: CGFloat
    public var right: CGFloat

    public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }

    public init() {
        self.init(top: 0, left: 0, bottom: 0, right: 0)
    }

    public static let zero = UIEdgeInsets()
}

/// The rounded corners.
public struct CACornerMask: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    public static let layerMinXMinYCorner = Self(rawValue: 1)
    public static let layerMaxXMinYCorner = Self(rawValue: 2)
    public static let layerMinXMaxYCorner = Self(rawValue: 4)
    public static let layerMaxXMaxYCorner = Self(rawValue: 8)
}

/// The shape of rounded corners.
public struct CALayerCornerCurve: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let circular = Self(rawValue: "circular")
    public static let continuous = Self(rawValue: "continuous")
}
