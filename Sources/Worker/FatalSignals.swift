// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The signals a crash is known by.
enum FatalSignals {
    /// Has them end the process at once. The Swift runtime, that of the worker and that of a plugin
    /// in Swift, catches them to start a program that prints a backtrace: the attempt would continue
    /// meanwhile, with its handler dead.
    static func restoreDefaults() {
        for signal in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
            Glibc.signal(signal, SIG_DFL)
        }
    }
}
