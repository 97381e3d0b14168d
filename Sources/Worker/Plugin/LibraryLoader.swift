// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Opens shared libraries.
enum LibraryLoader {
    typealias Failure = ForeignInterpreter.Objection

    private static let firstDelay: Int32 = 100
    private static let longestDelay: Int32 = 1_600

    /// Opens the library. While memory or descriptors are short, retries until the host ends this
    /// process: the dynamic linker maps a library and its dependencies before it runs any of their
    /// code, so that no code runs twice.
    /// - Parameters:
    ///   - check: Called before each try.
    ///   - isExpired: Whether it must give up instead of retrying.
    ///   - wait: Called once, with the errno and the reason, when it begins to wait.
    static func open(
        _ path: String, check: () throws(Failure) -> Void = {},
        isExpired: () -> Bool = { false }, wait: (Int32, String) -> Void
    ) throws(Failure) -> UnsafeMutableRawPointer {
        var delay = firstDelay
        while true {
            do throws(Failure) {
                try check()
                return try load(path)
            } catch {
                guard let shortage = error.shortage, !isExpired() else { throw error }
                if delay == firstDelay { wait(shortage, error.reason) }
            }
            poll(nil, 0, delay)
            delay = min(2 * delay, longestDelay)
        }
    }

    private static func load(_ path: String) throws(Failure) -> UnsafeMutableRawPointer {
        if let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) { return library }
        let reason = reason()
        // The linker tells the error only by its text.
        let shortage = [ENOMEM, EMFILE, ENFILE].first {
            reason.hasSuffix(": " + String(cString: strerror($0)))
        }
        throw Failure(reason, shortage: shortage)
    }

    /// Why the last call of the dynamic linker failed.
    static func reason() -> String {
        dlerror().map { String(cString: $0) } ?? "the dynamic linker does not say why"
    }
}
