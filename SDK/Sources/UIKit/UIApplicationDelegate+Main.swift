// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import CNSObject
import Foundation

extension UIApplicationDelegate {
    /// What `@main` calls: makes the delegate and launches the app.
    public static func main() {
        PluginRuntime.launch {
            UIApplication.shared.launch(delegate: Self.self)
        }
    }
}

extension UIApplication {
    /// Makes a delegate and launches the app with it.
    package func launch(delegate type: any UIApplicationDelegate.Type) {
        guard let type = type as? NSObject.Type,
            let delegate = NSObject.make(type) as? any UIApplicationDelegate
        else {
            return report("\(type) is not an app delegate: derive it from UIResponder or NSObject.")
        }
        self.delegate = delegate
        if let warning = InheritedDelegate.warning(of: type) { runtime.log(.warning, warning) }
        launch()
    }
}

/// Swift calls the implementation of the class that adopts a protocol: unlike in Apple's runtime,
/// an optional method that only a subclass declares is not called. Which methods a class declares
/// cannot be determined.
enum InheritedDelegate {
    /// The warning about a delegate whose superclass adopts the protocol.
    static func warning(of type: AnyClass) -> String? {
        guard let parent = _getSuperclass(type), parent is any UIApplicationDelegate.Type else {
            return nil
        }
        var adopter: AnyClass = parent
        while let next = _getSuperclass(adopter), next is any UIApplicationDelegate.Type {
            adopter = next
        }
        return
            "\(type) inherits UIApplicationDelegate from \(adopter). A method of the protocol that "
            + "\(adopter) does not declare is not called in \(type): declare it in \(adopter), and "
            + "override it"
    }
}

extension NSObject {
    /// A new object of a class that is known only now, made by its `init()`.
    package static func make<Object: NSObject>(_ type: Object.Type) -> Object? {
        guard let object = cnsobject_new(unsafeBitCast(type, to: UnsafeRawPointer.self)) else {
            return nil
        }
        return Unmanaged<Object>.fromOpaque(object).takeRetainedValue()
    }
}
