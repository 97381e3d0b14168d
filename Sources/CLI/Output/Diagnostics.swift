// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import Glibc

/// Prints the problems of a manifest.
enum Diagnostics {
    /// Prints on standard error, in colour on a terminal.
    static func show(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics {
            let text = diagnostic.rendered(color: Terminal.hasColor(STDERR_FILENO)) + "\n"
            write(STDERR_FILENO, text, text.utf8.count)
        }
    }

    /// Prints the problems and returns the exit code.
    static func exitError(reporting problems: ManifestProblems) -> any Error {
        show(problems.diagnostics)
        return problems.isMissingFile ? Exit.noInput : Exit.badData
    }
}
