// SPDX-License-Identifier: Apache-2.0

/// Data must not widen rights: a confined handler could otherwise have a task with more rights do what it may not, for
/// example run a command that it chooses.
package enum DataRule {
    /// What the app's author can do about a refusal.
    package static let remedy = "confine both tasks alike, or submit without parameters"

    /// Whether a task may run with data of a handler. Only equal confinements are comparable: a key with fewer paths
    /// may permit more, because `read` and `hide` also take rights away.
    /// - Parameters:
    ///   - source: What the handler may do; nil: all that its user may.
    ///   - target: What the task may do; nil: all that its user may.
    package static func permits(from source: Confinement?, to target: Confinement?) -> Bool {
        source == nil || source == target
    }
}
