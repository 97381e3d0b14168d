// SPDX-License-Identifier: Apache-2.0

@_exported import Foundation

/// The base class of app delegates. There are no events to respond to: a plugin shows nothing.
@preconcurrency @MainActor
open class UIResponder: NSObject {
    /// Nothing becomes the first responder.
    @discardableResult
    open func becomeFirstResponder() -> Bool { false }
    @discardableResult
    open func resignFirstResponder() -> Bool { true }
    open var canBecomeFirstResponder: Bool { false }
    open var canResignFirstResponder: Bool { true }
    open var isFirstResponder: Bool { false }
    open var next: UIResponder? { nil }
    open var inputView: UIView? { nil }
    open var inputAccessoryView: UIView? { nil }
    open var userActivity: NSUserActivity?
    /// Never called: no state is saved.
    open func updateUserActivityState(_ activity: NSUserActivity) {}
    /// Never called.
    open func restoreUserActivityState(_ activity: NSUserActivity) {}

    // Never called: there are no touches.

    open func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) {}
    open func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent?) {}
    open func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {}
    open func touchesCancelled(_ touches: Set<UITouch>, with event: UIEvent?) {}
    open func motionBegan(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {}
    open func motionEnded(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {}
}
