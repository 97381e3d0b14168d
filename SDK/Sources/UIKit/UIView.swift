// SPDX-License-Identifier: Apache-2.0

public import Foundation

// The properties of a view. Nothing is drawn.

/// A view.
@preconcurrency @MainActor
open class UIView: UIResponder {
    open var frame: CGRect
    open var bounds: CGRect {
        get { CGRect(origin: .zero, size: frame.size) }
        set { frame.size = newValue.size }
    }
    open var center: CGPoint {
        get { CGPoint(x: frame.midX, y: frame.midY) }
        set {
            frame.origin = CGPoint(
                x: newValue.x - frame.width / 2, y: newValue.y - frame.height / 2)
        }
    }
    open var transform = CGAffineTransform.identity
    open var autoresizingMask: AutoresizingMask = []
    open var isOpaque = true
    open var accessibilityIdentifier: String?
    open var accessibilityLabel: String?
    open var accessibilityHint: String?
    open var isAccessibilityElement = false
    open var layoutMargins = UIEdgeInsets.zero
    open var gestureRecognizers: [UIGestureRecognizer]?
    open var backgroundColor: UIColor?
    open var tintColor: UIColor?
    open var isHidden = false
    open var alpha: CGFloat = 1
    open var tag = 0
    open var translatesAutoresizingMaskIntoConstraints = true
    open var clipsToBounds = false
    open var isUserInteractionEnabled = true
    open var contentMode = ContentMode.scaleToFill
    open lazy var layer = CALayer()
    open private(set) var subviews: [UIView] = []

    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }

    /// `init()` for a subclass that overrides `init(frame:)`. It has a parameter because the
    /// `init()` of `NSObject` belongs to no actor.
    public convenience init(_: Void = ()) {
        self.init(frame: .zero)
    }

    /// Always nil: views are not read from archives.
    public required init?(coder: NSCoder) {
        nil
    }

    open private(set) weak var superview: UIView?

    open func addSubview(_ view: UIView) {
        view.removeFromSuperview()
        subviews.append(view)
        view.superview = self
    }
    open func insertSubview(_ view: UIView, at index: Int) {
        view.removeFromSuperview()
        subviews.insert(view, at: min(max(0, index), subviews.count))
        view.superview = self
    }
    open func removeFromSuperview() {
        superview?.subviews.removeAll { $0 === self }
        superview = nil
    }
    open func layoutSubviews() {}
    open func setNeedsDisplay() {}

    open func setNeedsLayout() {}
    open func layoutIfNeeded() {}

    // Methods for subclasses. They are never called.

    open func draw(_ rect: CGRect) {}
    open func updateConstraints() {}
    open func awakeFromNib() {}
    open func prepareForInterfaceBuilder() {}
    open func didMoveToSuperview() {}
    open func willMove(toSuperview newSuperview: UIView?) {}
    open func didMoveToWindow() {}
    open func safeAreaInsetsDidChange() {}
    open func tintColorDidChange() {}
    open func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {}
    open var intrinsicContentSize: CGSize { CGSize(width: -1, height: -1) }
    open func sizeThatFits(_ size: CGSize) -> CGSize { frame.size }
    open class var layerClass: AnyClass { CALayer.self }
    open func point(inside point: CGPoint, with event: UIEvent?) -> Bool { false }
    open func hitTest(_ point: CGPoint, with event: UIEvent?) -> UIView? { nil }
}
