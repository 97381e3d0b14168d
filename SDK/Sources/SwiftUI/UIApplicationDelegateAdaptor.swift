// SPDX-License-Identifier: Apache-2.0

public import UIKit

/// Creates an app delegate, which receives the app's life-cycle events and lives as long as the
/// process.
@propertyWrapper @MainActor @preconcurrency
public struct UIApplicationDelegateAdaptor<DelegateType: NSObject & UIApplicationDelegate> {
    public let wrappedValue: DelegateType

    /// Creates the delegate by its `init()`.
    public init(_ type: DelegateType.Type = DelegateType.self) {
        guard let delegate = NSObject.make(type) else {
            fatalError("\(type) cannot be made. Give it an init() without arguments.")
        }
        UIApplication.shared.delegate = delegate
        wrappedValue = delegate
    }
}
