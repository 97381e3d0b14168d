// SPDX-License-Identifier: Apache-2.0

/// Swift calls the implementation of the class that adopts a protocol: unlike in Apple's runtime,
/// an optional method that only a subclass declares is not called. The methods that a class
/// declares cannot be determined.
package enum InheritedDelegate {
    /// Logs a warning if a superclass of the delegate's class adopts the protocol.
    package static func warn(
        of type: AnyClass, _ name: String, _ runtime: PluginRuntime,
        adopts: (AnyClass) -> Bool
    ) {
        guard let parent = _getSuperclass(type), adopts(parent) else { return }
        var adopter: AnyClass = parent
        while let next = _getSuperclass(adopter), adopts(next) { adopter = next }
        runtime.log(
            .warning,
            "\(type) inherits \(name) from \(adopter). A method of the protocol that "
                + "\(adopter) does not declare is not called in \(type): declare it in "
                + "\(adopter), and override it")
    }
}
