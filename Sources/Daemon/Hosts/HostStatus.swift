// SPDX-License-Identifier: Apache-2.0

/// What the daemon does about a manifest, as others are told.
package struct HostStatus: Codable, Hashable, Sendable {
    /// Absolute.
    package var manifest: String
    package var state: State
    /// Nil while it is not known.
    package var app: String?
    package var user: String?
    /// Of the host.
    package var process: Int32?
    /// Why it is not hosted.
    package var reason: String?

    package enum State: String, Codable, Sendable {
        /// It will be in a moment.
        case starting
        case hosted
        /// Its host ends.
        case ending
        /// Its host has ended unasked, and is started again.
        case waiting
        /// Something must be corrected first.
        case aside
    }
}

extension HostStatus.State {
    init(_ state: HostsRule.State) {
        switch state {
        case .queued, .looking: self = .starting
        case .running: self = .hosted
        case .ending: self = .ending
        case .waiting: self = .waiting
        case .aside, .twin: self = .aside
        }
    }
}
