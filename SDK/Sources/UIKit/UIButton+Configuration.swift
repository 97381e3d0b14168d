// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension UIButton {
    /// The appearance of a button.
    public struct Configuration: Sendable {
        /// The corners of its background.
        public enum CornerStyle: Int, Sendable {
            case fixed = -1
            case dynamic
            case small, medium, large, capsule
        }

        /// Its size.
        public enum Size: Int, Sendable {
            case medium, small, mini, large
        }

        public var title: String?
        public var subtitle: String?
        public var attributedTitle: AttributedString?
        public var image: UIImage?
        public var imagePadding: CGFloat = 0
        public var imagePlacement = NSDirectionalRectEdge.leading
        public var titlePadding: CGFloat = 1
        public var contentInsets = NSDirectionalEdgeInsets(
            top: 7, leading: 12, bottom: 7, trailing: 12)
        public var cornerStyle = CornerStyle.dynamic
        public var buttonSize = Size.medium
        public var showsActivityIndicator = false
        public var baseBackgroundColor: UIColor?
        public var baseForegroundColor: UIColor?

        public static func plain() -> Self { Self() }
        public static func filled() -> Self { Self() }
        public static func tinted() -> Self { Self() }
        public static func gray() -> Self { Self() }
        public static func bordered() -> Self { Self() }
        public static func borderedTinted() -> Self { Self() }
        public static func borderedProminent() -> Self { Self() }
        public static func borderless() -> Self { Self() }
    }
}

/// Edges of a rectangle, in the direction of the text.
public struct NSDirectionalRectEdge: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    public static let top = Self(rawValue: 1 << 0)
    public static let leading = Self(rawValue: 1 << 1)
    public static let bottom = Self(rawValue: 1 << 2)
    public static let trailing = Self(rawValue: 1 << 3)
    public static let all: Self = [.top, .leading, .bottom, .trailing]
}

/// Distances from the edges of a rectangle, in the direction of the text.
public struct NSDirectionalEdgeInsets: Hashable, Sendable {
    public var top: CGFloat
    public var leading: CGFloat
    public var bottom: CGFloat
    public var trailing: CGFloat

    public init(
        top: CGFloat = 0, leading: CGFloat = 0, bottom: CGFloat = 0, trailing: CGFloat = 0
    ) {
        self.top = top
        self.leading = leading
        self.bottom = bottom
        self.trailing = trailing
    }

    public static let zero = NSDirectionalEdgeInsets()
}
