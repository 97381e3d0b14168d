// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Opens shared libraries.
enum LibraryLoader {
    struct Failure: Error {
        /// The dynamic linker's message.
        let reason: String
    }

    private static let firstDelay: Int32 = 100
    private static let longestDelay: Int32 = 1_600

    /// Opens the library. While memory or descriptors are short, retries until the host ends this
    /// process: the dynamic linker maps a library and its dependencies before it runs any of their
    /// code, so that no code runs twice.
    /// - Parameters:
    ///   - isExpired: Whether it must give up instead of retrying.
    ///   - log: Called with the reason, once.
    static func open(
        _ path: String, isExpired: () -> Bool = { false }, log: (String) -> Void
    ) throws(Failure) -> UnsafeMutableRawPointer {
        var delay = firstDelay
        while true {
            if let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) { return library }
            let reason = reason()
            guard isShortage(reason), !isExpired() else { throw Failure(reason: reason) }
            if delay == firstDelay { log(reason) }
            poll(nil, 0, delay)
            delay = min(2 * delay, longestDelay)
        }
    }

    /// Why the last call of the dynamic linker failed.
    static func reason() -> String {
        dlerror().map { String(cString: $0) } ?? "the dynamic linker does not say why"
    }

    /// Whether the linker's reason ends with the text of such an error.
    private static func isShortage(_ reason: String) -> Bool {
        [ENOMEM, EMFILE, ENFILE].contains { reason.hasSuffix(": " + String(cString: strerror($0))) }
    }
}
