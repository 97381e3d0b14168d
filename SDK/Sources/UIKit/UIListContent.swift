// SPDX-License-Identifier: Apache-2.0

public import Foundation

// The content of rows and the buttons beside them. Nothing is shown, and no handler is called.

/// The content of a row or a cell.
@preconcurrency @MainActor
public protocol UIContentConfiguration {}

/// The content of a row of a list: texts and an image.
@preconcurrency @MainActor
public struct UIListContentConfiguration: UIContentConfiguration {
    /// The appearance of a text.
    public struct TextProperties: Sendable {
        public var font = UIFont.preferredFont(forTextStyle: .body)
        public var color = UIColor.label
        public var numberOfLines = 0
        public var adjustsFontSizeToFitWidth = false
    }

    /// The appearance of an image.
    public struct ImageProperties: Sendable {
        public var tintColor: UIColor?
        public var cornerRadius: CGFloat = 0
        public var maximumSize = CGSize.zero
        public var reservedLayoutSize = CGSize.zero
    }

    public var text: String?
    public var attributedText: NSAttributedString?
    public var secondaryText: String?
    public var secondaryAttributedText: NSAttributedString?
    public var image: UIImage?
    public var textProperties = TextProperties()
    public var secondaryTextProperties = TextProperties()
    public var imageProperties = ImageProperties()
    public var prefersSideBySideTextAndSecondaryText = false
    public var imageToTextPadding: CGFloat = 0
    public var textToSecondaryTextVerticalPadding: CGFloat = 0

    public static func cell() -> Self { Self() }
    public static func subtitleCell() -> Self { Self() }
    public static func valueCell() -> Self { Self() }
}

/// A button beside a row. Its handler is never called.
@preconcurrency @MainActor
open class UIContextualAction: NSObject {
    public typealias Handler = (UIContextualAction, UIView, @escaping (Bool) -> Void) -> Void

    /// The style of a button.
    public enum Style: Int, Sendable {
        case normal, destructive
    }

    public let style: Style
    open var title: String?
    open var image: UIImage?
    open var backgroundColor: UIColor?

    public init(style: Style, title: String?, handler: @escaping Handler) {
        self.style = style
        self.title = title
    }
}

/// The buttons beside a row.
@preconcurrency @MainActor
open class UISwipeActionsConfiguration: NSObject {
    public let actions: [UIContextualAction]
    open var performsFirstActionWithFullSwipe = true

    public init(actions: [UIContextualAction]) {
        self.actions = actions
    }
}

extension UITableViewCell {
    /// Empty content of the default style.
    public func defaultContentConfiguration() -> UIListContentConfiguration { .cell() }
}
