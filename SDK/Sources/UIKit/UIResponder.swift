// SPDX-License-Identifier: Apache-2.0

@_exported import Foundation

/// The base class of app delegates. There are no events to respond to: a plugin shows nothing.
@preconcurrency @MainActor
open class UIResponder: NSObject {
    public nonisolated override init() {
        super.init()
    }

    /// Nothing becomes the first responder.
    @discardableResult
    open func becomeFirstResponder() -> Bool { false }
    @discardableResult
    open func resignFirstResponder() -> Bool { true }
}
