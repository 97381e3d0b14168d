// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin

/// An error for a call that the host has refused.
public struct PluginHostError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason.
    public enum Code: Hashable, Sendable {
        /// An argument is malformed or out of range.
        case invalid
        /// There is no attempt, or it has ended.
        case state
        case tooLarge
        case notFound
        /// The host does not support it, or is shutting down.
        case unavailable
        /// The host could not store it; nothing has changed.
        case notStored
        /// Too many requests of the kind are pending.
        case tooManyPending
        /// The manifest permits neither the identifier nor its kind.
        case notPermitted
        /// A request that must start at once cannot.
        case notImmediately
        /// A status that this SDK does not know.
        case other(Int32)
    }

    public var code: Code
    /// The problem and its remedy.
    public var description: String

    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// Throws unless `status` is `BGRUN_OK`; `call` names the attempted call.
    static func check(
        _ status: Int32, _ call: String,
        notFound: String = "no task of the manifest handles it; add one"
    ) throws(PluginHostError) {
        guard status != BGRUN_OK else { return }
        let (code, cause) = meaning(of: status, notFound)
        throw PluginHostError(code, "\(call): \(cause)")
    }

    private static func meaning(of status: Int32, _ notFound: String) -> (Code, String) {
        switch status {
        case BGRUN_E_INVALID:
            (.invalid, "an argument is malformed or out of range")
        case BGRUN_E_STATE:
            (.state, "the attempt has ended; do this before setTaskCompleted")
        case BGRUN_E_TOO_LARGE:
            (
                .tooLarge,
                "it is over the limit that bgrun_plugin.h names; a checkpoint has at most 1 MiB"
            )
        case BGRUN_E_NOT_FOUND:
            (.notFound, notFound)
        case BGRUN_E_UNAVAILABLE:
            (.unavailable, "the host cannot do it now; try again in the next attempt")
        case BGRUN_E_IO:
            (.notStored, "the host could not store it; is the disk of its state full?")
        case BGRUN_E_TOO_MANY_PENDING:
            (.tooManyPending, "too many requests of this kind are pending; cancel one")
        case BGRUN_E_NOT_PERMITTED:
            (
                .notPermitted,
                "the manifest does not permit it; see permitted_identifiers, modes and confine"
            )
        case BGRUN_E_NOT_IMMEDIATELY:
            (.notImmediately, "it cannot start at once, and its strategy is fail")
        default:
            (.other(status), "the host answered \(status)")
        }
    }
}
