// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunEventLog
import BGRunEventLoop
import BGRunInspection
import BGRunManifest
import BGRunPolicy
import BGRunSimulation
import BGRunStorage
import Glibc

/// The exit codes of every command, after `<sysexits.h>`.
enum Exit {
    static let attemptFailed = ExitCode(1)
    static let badData = ExitCode(65)
    static let noInput = ExitCode(66)
    static let unavailable = ExitCode(69)
    static let ioError = ExitCode(74)
    static let tryAgain = ExitCode(75)
    static let refused = ExitCode(77)
}

/// Writes to standard error.
func writeError(_ text: String) { write(STDERR_FILENO, text, text.utf8.count) }

/// Writes `bgrun: message` to standard error.
func complain(_ message: String) { writeError("bgrun: \(message)\n") }

extension ExitCode {
    /// Reports `message` on standard error and returns this code.
    func reporting(_ message: String) -> ExitCode {
        complain(message)
        return self
    }
}

/// Reports `error` on standard error and returns its exit code; returns an error without a code unchanged.
func exitError(reporting error: any Error) -> any Error {
    switch error {
    case let problems as ManifestProblems:
        Diagnostics.show(problems.diagnostics)
        return problems.isMissingFile ? Exit.noInput : Exit.badData
    case let refusal as Refusal: return Exit.refused.reporting(refusal.message)
    case let refusal as PluginFileRefusal:
        return Exit.refused.reporting(LogText.visible(refusal.message))
    case let problem as Assertion.Problem:
        return ExitCode.validationFailure.reporting("--assert: \(problem.message)")
    case let failure as VerifyRun.Failure:
        return Exit.unavailable.reporting(LogText.visible(failure.message))
    case let problem as InfoPlist.Problem:
        let code = problem.isMissing ? Exit.noInput : Exit.badData
        return code.reporting(LogText.visible(problem.message))
    case let failure as JournalFailure:
        let code = failure.isMissing ? Exit.noInput : Exit.ioError
        return code.reporting(failure.message)
    default:
        guard let message = failureMessage(error) else { return error }
        if case HostLockError.held = error { return Exit.tryAgain.reporting(message) }
        return Exit.ioError.reporting(message)
    }
}

/// The cause and the remedy of a failure of the state, the store or the system; nil for other errors.
func failureMessage(_ error: any Error) -> String? {
    switch error {
    case let error as StateDirectoryError: error.message
    case let error as HostLockError: error.message
    case let error as StoreError: error.message
    case let error as SystemFailure: "\(error)"
    default: nil
    }
}

extension ControlResponse {
    /// Returns this response; reports a refusal and throws its exit code.
    func orRefused() throws -> ControlResponse {
        guard let problem else { return self }
        throw Exit.refused.reporting(problem.message)
    }
}

/// Prints the problems of a manifest.
enum Diagnostics {
    /// Prints on standard error, in colour on a terminal.
    static func show(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics {
            writeError(diagnostic.rendered(color: Terminal.hasColor(STDERR_FILENO)) + "\n")
        }
    }
}
