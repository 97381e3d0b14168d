// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A colour. It has no effect.
public final class UIColor: NSObject, Sendable {
    public static let systemBackground = UIColor()
    public static let label = UIColor()
    public static let secondaryLabel = UIColor()
    public static let white = UIColor()
    public static let black = UIColor()
    public static let gray = UIColor()
    public static let red = UIColor()
    public static let green = UIColor()
    public static let blue = UIColor()
    public static let orange = UIColor()
    public static let clear = UIColor()
    public static let systemBlue = UIColor()
    public static let systemRed = UIColor()
    public static let systemGreen = UIColor()
    public static let systemOrange = UIColor()
    public static let systemYellow = UIColor()
    public static let systemPurple = UIColor()
    public static let systemPink = UIColor()
    public static let systemTeal = UIColor()
    public static let systemIndigo = UIColor()
    public static let systemGray = UIColor()
    public static let systemGray2 = UIColor()
    public static let systemGray3 = UIColor()
    public static let systemGray4 = UIColor()
    public static let systemGray5 = UIColor()
    public static let systemGray6 = UIColor()
    public static let secondarySystemBackground = UIColor()
    public static let tertiarySystemBackground = UIColor()
    public static let systemGroupedBackground = UIColor()
    public static let secondarySystemGroupedBackground = UIColor()
    public static let tertiaryLabel = UIColor()
    public static let separator = UIColor()
    public static let tintColor = UIColor()
    public static let yellow = UIColor()
    public static let purple = UIColor()
    public static let brown = UIColor()
    public static let cyan = UIColor()
    public static let darkGray = UIColor()
    public static let lightGray = UIColor()
    public static let magenta = UIColor()
    public static let systemMint = UIColor()
    public static let systemCyan = UIColor()
    public static let systemBrown = UIColor()
    public static let quaternaryLabel = UIColor()
    public static let placeholderText = UIColor()
    public static let opaqueSeparator = UIColor()
    public static let link = UIColor()
    public static let systemFill = UIColor()
    public static let secondarySystemFill = UIColor()
    public static let tertiarySystemFill = UIColor()
    public static let quaternarySystemFill = UIColor()
    public static let tertiarySystemGroupedBackground = UIColor()
    public static let lightText = UIColor()
    public static let darkText = UIColor()

    public override init() {
        super.init()
    }

    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        super.init()
    }

    public init(white: CGFloat, alpha: CGFloat) {
        super.init()
    }

    /// Always nil: asset catalogs are not read.
    public convenience init?(named name: String) {
        return nil
    }

    public init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat) {
        super.init()
    }

    public init(cgColor: CGColor) {
        super.init()
    }

    /// `dynamicProvider` is never called.
    public init(dynamicProvider: @escaping (UITraitCollection) -> UIColor) {
        super.init()
    }

    /// Always nil: asset catalogs are not read.
    public convenience init?(
        named name: String, in bundle: Bundle?, compatibleWith traitCollection: UITraitCollection?
    ) {
        return nil
    }

    public func withAlphaComponent(_ alpha: CGFloat) -> UIColor { self }
    public func resolvedColor(with traitCollection: UITraitCollection) -> UIColor { self }
    public var cgColor: CGColor { CGColor() }
    /// Draws nothing.
    public func setFill() {}
    /// Draws nothing.
    public func setStroke() {}
    /// Draws nothing.
    public func set() {}
}

/// A colour of Core Graphics. It has no effect.
public final class CGColor: Sendable {
    public init() {}
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {}
    public init(gray: CGFloat, alpha: CGFloat) {}

    public var alpha: CGFloat { 1 }
    public var components: [CGFloat]? { nil }
}
