// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol

/// Runs foreign programs: makes their calls through libffi, in this process.
///
/// The functions are third-party code: one that crashes or exits ends the process, so use this in a
/// worker. Runs one program at a time, on the thread that calls `run`; libraries stay loaded,
/// because some cannot be unloaded safely.
package struct ForeignInterpreter: Sendable {
    /// Why a library may not, or cannot, be loaded.
    package struct Objection: Error, Sendable {
        let reason: String
        /// The errno if a resource is short: it may be loaded later.
        let shortage: Int32?

        package init(_ reason: String, shortage: Int32? = nil) {
            self.reason = reason
            self.shortage = shortage
        }
    }

    let directory: String
    let log: @Sendable (ForeignLogLevel, String) -> Void
    let isExpired: @Sendable () -> Bool
    let objection: @Sendable (String) -> Objection?
    let wait: @Sendable (Int32) -> Void

    /// - Parameters:
    ///   - directory: The manifest's directory, absolute: the base of relative files and libraries.
    ///   - log: Called with single lines, from any thread on which a library makes a callback.
    ///   - isExpired: Whether the attempt's time is revoked; called from the same threads.
    ///   - objection: Called for each library with a path, absolute, before it is loaded: why it
    ///     may not be; nil: it may.
    ///   - wait: Called with the errno when a library waits for a resource of the machine.
    package init(
        directory: String, log: @escaping @Sendable (ForeignLogLevel, String) -> Void,
        isExpired: @escaping @Sendable () -> Bool,
        objection: @escaping @Sendable (_ library: String) -> Objection? = { _ in nil },
        wait: @escaping @Sendable (_ error: Int32) -> Void = { _ in }
    ) {
        self.directory = directory
        self.log = log
        self.isExpired = isExpired
        self.objection = objection
        self.wait = wait
    }

    /// Makes the program's calls in order, then saves its output buffers. After a call that fails,
    /// or once the attempt is expired, only those marked `always` are made.
    ///
    /// Buffers, structs and function pointers passed to a function are valid until this returns: a
    /// function that keeps one must be told to forget it by a later call.
    package func run(_ program: ForeignProgram) -> ForeignOutcome {
        let plan: Plan
        do throws(ForeignFailure) {
            plan = try Plan(program, for: self)
        } catch {
            return .refused(message: error.message)
        }
        return Run(of: plan, by: self).outcome()
    }
}

/// How a program ended.
package enum ForeignOutcome: Equatable, Sendable {
    /// Every call succeeded and every output is saved; the message lists the outputs.
    case succeeded(message: String?)
    /// A call, an input or an output failed, or the attempt expired between two calls.
    case failed(message: String)
    /// The program cannot run; no function was called. One line for each reason.
    case refused(message: String)
}

/// The level of a log line; the raw values are those of `BGRUN_LOG_...`.
package enum ForeignLogLevel: UInt8, Equatable, Sendable {
    case debug, info, warning, error
}
