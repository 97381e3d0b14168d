// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Layout, which is not performed.

/// The position of an edge of a view.
@preconcurrency @MainActor
public class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    public func constraint(
        equalTo anchor: NSLayoutAnchor<AnchorType>, constant c: CGFloat = 0
    ) -> NSLayoutConstraint { NSLayoutConstraint(c) }
    public func constraint(
        greaterThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>, constant c: CGFloat = 0
    ) -> NSLayoutConstraint { NSLayoutConstraint(c) }
    public func constraint(
        lessThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>, constant c: CGFloat = 0
    ) -> NSLayoutConstraint { NSLayoutConstraint(c) }
}

/// The position of a left or right edge.
public final class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {
    public func constraint(
        equalToSystemSpacingAfter anchor: NSLayoutXAxisAnchor, multiplier: CGFloat
    ) -> NSLayoutConstraint { NSLayoutConstraint(0) }
    public func constraint(
        greaterThanOrEqualToSystemSpacingAfter anchor: NSLayoutXAxisAnchor, multiplier: CGFloat
    ) -> NSLayoutConstraint { NSLayoutConstraint(0) }
    public func constraint(
        lessThanOrEqualToSystemSpacingAfter anchor: NSLayoutXAxisAnchor, multiplier: CGFloat
    ) -> NSLayoutConstraint { NSLayoutConstraint(0) }
}

/// The position of an upper or lower edge.
public final class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {
    public func constraint(
        equalToSystemSpacingBelow anchor: NSLayoutYAxisAnchor, multiplier: CGFloat
    ) -> NSLayoutConstraint { NSLayoutConstraint(0) }
    public func constraint(
        greaterThanOrEqualToSystemSpacingBelow anchor: NSLayoutYAxisAnchor, multiplier: CGFloat
    ) -> NSLayoutConstraint { NSLayoutConstraint(0) }
    public func constraint(
        lessThanOrEqualToSystemSpacingBelow anchor: NSLayoutYAxisAnchor, multiplier: CGFloat
    ) -> NSLayoutConstraint { NSLayoutConstraint(0) }
}

/// The width or height of a view.
public final class NSLayoutDimension: NSLayoutAnchor<NSLayoutDimension> {
    public func constraint(equalToConstant c: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint(c)
    }
    public func constraint(greaterThanOrEqualToConstant c: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint(c)
    }
    public func constraint(lessThanOrEqualToConstant c: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint(c)
    }
    public func constraint(
        equalTo anchor: NSLayoutDimension, multiplier m: CGFloat, constant c: CGFloat = 0
    ) -> NSLayoutConstraint { NSLayoutConstraint(c) }
}

/// A rule of layout, without effect.
@preconcurrency @MainActor
public final class NSLayoutConstraint: NSObject {
    /// The axis of a stack.
    public enum Axis: Int, Sendable {
        case horizontal, vertical
    }

    public var constant: CGFloat
    public var isActive = false
    public var priority = UILayoutPriority.required
    public var identifier: String?

    init(_ constant: CGFloat) {
        self.constant = constant
    }

    public static func activate(_ constraints: [NSLayoutConstraint]) {
        for constraint in constraints { constraint.isActive = true }
    }

    public static func deactivate(_ constraints: [NSLayoutConstraint]) {
        for constraint in constraints { constraint.isActive = false }
    }
}

/// The anchors of constraints.
@preconcurrency @MainActor
public protocol UILayoutAnchored {}

extension UILayoutAnchored {
    public var leadingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    public var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    public var leftAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    public var rightAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    public var centerXAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    public var topAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
    public var bottomAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
    public var centerYAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
    public var widthAnchor: NSLayoutDimension { NSLayoutDimension() }
    public var heightAnchor: NSLayoutDimension { NSLayoutDimension() }
}

extension UIView: UILayoutAnchored {
    /// The fitting of an image.
    public enum ContentMode: Int, Sendable {
        case scaleToFill, scaleAspectFit, scaleAspectFill, redraw, center, top, bottom, left, right
    }

    public var safeAreaLayoutGuide: UILayoutGuide { UILayoutGuide() }
    public var layoutMarginsGuide: UILayoutGuide { UILayoutGuide() }
}

/// A rectangle without a view.
@preconcurrency @MainActor
public final class UILayoutGuide: NSObject, UILayoutAnchored {}

/// Views in a row or a column.
@preconcurrency @MainActor
open class UIStackView: UIView {
    /// The distribution of space.
    public enum Distribution: Int, Sendable {
        case fill, fillEqually, fillProportionally, equalSpacing, equalCentering
    }

    /// The alignment of views.
    public enum Alignment: Int, Sendable {
        case fill, leading, firstBaseline, center, trailing, lastBaseline
        public static let top = Alignment.leading
        public static let bottom = Alignment.trailing
    }

    public static let spacingUseDefault = CGFloat.greatestFiniteMagnitude
    public static let spacingUseSystem = CGFloat.greatestFiniteMagnitude.nextDown

    open var axis = NSLayoutConstraint.Axis.horizontal
    open var spacing: CGFloat = 0
    open var alignment = Alignment.fill
    open var distribution = Distribution.fill
    open private(set) var arrangedSubviews: [UIView] = []
    open var isLayoutMarginsRelativeArrangement = false

    public override init(frame: CGRect) {
        super.init(frame: frame)
    }

    public convenience init(arrangedSubviews views: [UIView]) {
        self.init(frame: .zero)
        for view in views { addArrangedSubview(view) }
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open func addArrangedSubview(_ view: UIView) {
        arrangedSubviews.append(view)
        addSubview(view)
    }
    open func insertArrangedSubview(_ view: UIView, at stackIndex: Int) {
        arrangedSubviews.insert(view, at: min(max(0, stackIndex), arrangedSubviews.count))
        addSubview(view)
    }
    open func removeArrangedSubview(_ view: UIView) {
        arrangedSubviews.removeAll { $0 === view }
    }
    open func setCustomSpacing(_ spacing: CGFloat, after arrangedSubview: UIView) {}
}

/// The layer of a view.
@preconcurrency @MainActor
open class CALayer: NSObject {
    open var cornerRadius: CGFloat = 0
    open var masksToBounds = false
    open var borderWidth: CGFloat = 0
    open var shadowOpacity: Float = 0
    open var shadowRadius: CGFloat = 0
    open var shadowOffset = CGSize.zero
    open var borderColor: CGColor?
    open var shadowColor: CGColor?
    open var backgroundColor: CGColor?
    open var opacity: Float = 1
    open var frame = CGRect.zero
    open var bounds = CGRect.zero
    open var isHidden = false
    open var maskedCorners: CACornerMask = []
    open var cornerCurve = CALayerCornerCurve.circular
    open var shouldRasterize = false
    open var rasterizationScale: CGFloat = 1
    open var contents: Any?
    open private(set) var sublayers: [CALayer]?

    open func addSublayer(_ layer: CALayer) {
        sublayers = (sublayers ?? []) + [layer]
    }
    open func insertSublayer(_ layer: CALayer, at index: UInt32) {
        addSublayer(layer)
    }
    open func removeFromSuperlayer() {}
    open func removeAllAnimations() {}
    open func setNeedsDisplay() {}
}

/// Edges of a rectangle.
public struct UIRectEdge: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    public static let top = Self(rawValue: 1)
    public static let left = Self(rawValue: 2)
    public static let bottom = Self(rawValue: 4)
    public static let right = Self(rawValue: 8)
    public static let all: Self = [.top, .left, .bottom, .right]
}
