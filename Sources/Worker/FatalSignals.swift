// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The signals that indicate a crash.
enum FatalSignals {
    /// Makes them end the process at once. The Swift runtime of the worker or of a plugin catches them to start a
    /// program that prints a backtrace: the attempt would continue meanwhile with a dead handler.
    static func restoreDefaults() {
        for signal in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
            Glibc.signal(signal, SIG_DFL)
        }
    }
}
