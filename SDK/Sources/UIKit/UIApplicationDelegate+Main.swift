// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import CNSObject
import Foundation

extension UIApplicationDelegate {
    /// The implementation of `@main`: creates the delegate and launches the app.
    public static func main() {
        PluginRuntime.launch {
            UIApplication.shared.launch(delegate: Self.self)
        }
    }
}

extension UIApplication {
    /// Creates a delegate and launches the app with it.
    package func launch(delegate type: any UIApplicationDelegate.Type) {
        guard let type = type as? NSObject.Type,
            let delegate = NSObject.make(type) as? any UIApplicationDelegate
        else {
            return report("\(type) is not an app delegate: derive it from UIResponder or NSObject.")
        }
        self.delegate = delegate
        launch()
    }
}

extension NSObject {
    /// A new object of a dynamic class, created by its `init()`.
    package static func make<Object: NSObject>(_ type: Object.Type) -> Object? {
        guard let object = cnsobject_new(unsafeBitCast(type, to: UnsafeRawPointer.self)) else {
            return nil
        }
        return Unmanaged<Object>.fromOpaque(object).takeRetainedValue()
    }
}
