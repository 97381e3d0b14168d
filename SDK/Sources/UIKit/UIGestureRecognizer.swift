// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Touches, which never occur: no action is called.

/// A gesture. `target` is not retained and no action called; `#selector` needs Objective-C.
@preconcurrency @MainActor
open class UIGestureRecognizer: NSObject {
    /// The state of a gesture.
    public enum State: Int, Sendable {
        case possible, began, changed, ended, cancelled, failed
        public static let recognized = State.ended
    }

    open var state: State { .possible }
    open var isEnabled = true
    open var cancelsTouchesInView = true
    open var view: UIView? { nil }
    open var numberOfTouches: Int { 0 }
    open weak var delegate: (any UIGestureRecognizerDelegate)?

    public init(target: Any? = nil, action: Selector? = nil) {}

    open func location(in view: UIView?) -> CGPoint { .zero }
}

/// Would decide whether gestures are recognized. Never called.
@preconcurrency @MainActor
public protocol UIGestureRecognizerDelegate: NSObjectProtocol {}

/// A tap.
open class UITapGestureRecognizer: UIGestureRecognizer {
    open var numberOfTapsRequired = 1
    open var numberOfTouchesRequired = 1
}

/// A long press.
open class UILongPressGestureRecognizer: UIGestureRecognizer {
    open var minimumPressDuration: TimeInterval = 0.5
}

/// A drag.
open class UIPanGestureRecognizer: UIGestureRecognizer {
    open func translation(in view: UIView?) -> CGPoint { .zero }
    open func velocity(in view: UIView?) -> CGPoint { .zero }
}

/// A swipe.
open class UISwipeGestureRecognizer: UIGestureRecognizer {
    /// The direction of a swipe.
    public struct Direction: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        public static let right = Self(rawValue: 1)
        public static let left = Self(rawValue: 2)
        public static let up = Self(rawValue: 4)
        public static let down = Self(rawValue: 8)
    }

    open var direction = Direction.right
}

/// A pinch.
open class UIPinchGestureRecognizer: UIGestureRecognizer {
    open var scale: CGFloat = 1
}

/// A finger on the screen.
@preconcurrency @MainActor
open class UITouch: NSObject {
    open var tapCount: Int { 0 }
    open func location(in view: UIView?) -> CGPoint { .zero }
}

/// An event from the user.
@preconcurrency @MainActor
open class UIEvent: NSObject {
    /// The kind of an event.
    public enum EventSubtype: Int, Sendable {
        case none = 0
        case motionShake = 1
    }
}
