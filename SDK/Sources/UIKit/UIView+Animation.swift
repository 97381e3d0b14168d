// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Animations: the change is made at once, then the completion is called.

extension UIView {
    /// The options of an animation.
    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        public static let layoutSubviews = Self(rawValue: 1 << 0)
        public static let allowUserInteraction = Self(rawValue: 1 << 1)
        public static let beginFromCurrentState = Self(rawValue: 1 << 2)
        public static let `repeat` = Self(rawValue: 1 << 3)
        public static let autoreverse = Self(rawValue: 1 << 4)
        public static let curveEaseInOut: Self = []
        public static let curveEaseIn = Self(rawValue: 1 << 16)
        public static let curveEaseOut = Self(rawValue: 2 << 16)
        public static let curveLinear = Self(rawValue: 3 << 16)
        public static let transitionFlipFromLeft = Self(rawValue: 1 << 20)
        public static let transitionFlipFromRight = Self(rawValue: 2 << 20)
        public static let transitionCurlUp = Self(rawValue: 3 << 20)
        public static let transitionCurlDown = Self(rawValue: 4 << 20)
        public static let transitionCrossDissolve = Self(rawValue: 5 << 20)
    }

    /// Calls both at once.
    public class func animate(
        withDuration duration: TimeInterval, delay: TimeInterval = 0,
        options: AnimationOptions = [], animations: @escaping () -> Void,
        completion: ((Bool) -> Void)? = nil
    ) {
        animations()
        completion?(true)
    }

    /// Calls both at once.
    public class func animate(
        withDuration duration: TimeInterval, delay: TimeInterval,
        usingSpringWithDamping dampingRatio: CGFloat, initialSpringVelocity velocity: CGFloat,
        options: AnimationOptions = [], animations: @escaping () -> Void,
        completion: ((Bool) -> Void)? = nil
    ) {
        animations()
        completion?(true)
    }

    /// Calls both at once.
    public class func transition(
        with view: UIView, duration: TimeInterval, options: AnimationOptions = [],
        animations: (() -> Void)?, completion: ((Bool) -> Void)? = nil
    ) {
        animations?()
        completion?(true)
    }

    /// Calls the completion at once.
    public class func transition(
        from fromView: UIView, to toView: UIView, duration: TimeInterval,
        options: AnimationOptions = [], completion: ((Bool) -> Void)? = nil
    ) {
        completion?(true)
    }

    /// Calls `actionsWithoutAnimation`.
    public class func performWithoutAnimation(_ actionsWithoutAnimation: () -> Void) {
        actionsWithoutAnimation()
    }

    /// The resizing of a view with its superview.
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        public static let flexibleLeftMargin = Self(rawValue: 1)
        public static let flexibleWidth = Self(rawValue: 2)
        public static let flexibleRightMargin = Self(rawValue: 4)
        public static let flexibleTopMargin = Self(rawValue: 8)
        public static let flexibleHeight = Self(rawValue: 16)
        public static let flexibleBottomMargin = Self(rawValue: 32)
    }

    @discardableResult
    public func endEditing(_ force: Bool) -> Bool { true }
    public func sizeToFit() {
        frame.size = sizeThatFits(frame.size)
    }
    public func bringSubviewToFront(_ view: UIView) {}
    public func sendSubviewToBack(_ view: UIView) {}
    public func viewWithTag(_ tag: Int) -> UIView? {
        if self.tag == tag { return self }
        for view in subviews {
            if let found = view.viewWithTag(tag) { return found }
        }
        return nil
    }
    public func addGestureRecognizer(_ gestureRecognizer: UIGestureRecognizer) {
        gestureRecognizers = (gestureRecognizers ?? []) + [gestureRecognizer]
    }
    public func removeGestureRecognizer(_ gestureRecognizer: UIGestureRecognizer) {
        gestureRecognizers?.removeAll { $0 === gestureRecognizer }
    }
    public func setContentHuggingPriority(
        _ priority: UILayoutPriority, for axis: NSLayoutConstraint.Axis
    ) {}
    public func setContentCompressionResistancePriority(
        _ priority: UILayoutPriority, for axis: NSLayoutConstraint.Axis
    ) {}
    public func convert(_ rect: CGRect, to view: UIView?) -> CGRect { rect }
    public func convert(_ point: CGPoint, to view: UIView?) -> CGPoint { point }
    public func convert(_ rect: CGRect, from view: UIView?) -> CGRect { rect }
    public func convert(_ point: CGPoint, from view: UIView?) -> CGPoint { point }
    public func invalidateIntrinsicContentSize() {}
    public func setNeedsUpdateConstraints() {}
    public var window: UIWindow? { nil }
    public var safeAreaInsets: UIEdgeInsets { .zero }
    public var traitCollection: UITraitCollection { UITraitCollection() }
}

/// The priority of a constraint.
public struct UILayoutPriority: RawRepresentable, Hashable, Sendable {
    public let rawValue: Float

    public init(_ rawValue: Float) {
        self.rawValue = rawValue
    }

    public init(rawValue: Float) {
        self.rawValue = rawValue
    }

    public static let required = Self(1000)
    public static let defaultHigh = Self(750)
    public static let defaultLow = Self(250)
    public static let fittingSizeLevel = Self(50)
}
