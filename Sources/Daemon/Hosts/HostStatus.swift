// SPDX-License-Identifier: Apache-2.0

/// The state of a manifest in the daemon, for other programs.
package struct HostStatus: Codable, Equatable, Sendable {
    /// Absolute.
    package var manifest: String
    package var state: State
    /// Nil while unknown.
    package var app: String?
    package var user: String?
    /// The host process.
    package var process: Int32?
    /// The reason why it is not hosted.
    package var reason: String?

    package enum State: String, Codable, Sendable {
        /// Its host is about to start.
        case starting
        case hosted
        /// Its host ends.
        case ending
        /// Its host has ended by itself, and will be restarted.
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
