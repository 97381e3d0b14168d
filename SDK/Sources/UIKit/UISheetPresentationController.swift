// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Presentations of a controller above another. None is shown.

/// Shows nothing.
@preconcurrency @MainActor
open class UIPresentationController: NSObject {
    public let presentedViewController: UIViewController

    public init(presentedViewController: UIViewController) {
        self.presentedViewController = presentedViewController
    }
}

/// A popover, which is not shown.
@preconcurrency @MainActor
open class UIPopoverPresentationController: UIPresentationController {
    open var sourceView: UIView?
    open var sourceRect = CGRect.zero
    open var barButtonItem: UIBarButtonItem?
}

/// A sheet, which is not shown.
@preconcurrency @MainActor
open class UISheetPresentationController: UIPresentationController {
    /// The height of a sheet.
    @preconcurrency @MainActor
    public final class Detent: NSObject {
        public static func medium() -> Detent { Detent() }
        public static func large() -> Detent { Detent() }
    }

    open var detents: [Detent] = [.large()]
    open var prefersGrabberVisible = false
    open var preferredCornerRadius: CGFloat?
}

extension UIViewController {
    /// nil: nothing is presented.
    public var presentationController: UIPresentationController? { nil }
    /// nil: nothing is presented.
    public var sheetPresentationController: UISheetPresentationController? { nil }
    /// nil: nothing is presented.
    public var popoverPresentationController: UIPopoverPresentationController? { nil }
}
