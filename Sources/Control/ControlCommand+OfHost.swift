// SPDX-License-Identifier: Apache-2.0

extension ControlRequest.Command {
    /// The commands that the host itself answers.
    package enum OfHost {
        case submit, cancel, cancelAll, cancelAnnotated, pending, running, trigger, expire, open,
            quit, explain, refresh, manifest, watch
    }

    /// The command for the host itself; nil: a feature answers it.
    package var ofHost: OfHost? {
        switch self {
        case .submit: .submit
        case .cancel: .cancel
        case .cancelAll: .cancelAll
        case .cancelAnnotated: .cancelAnnotated
        case .pending: .pending
        case .running: .running
        case .trigger: .trigger
        case .expire: .expire
        case .open: .open
        case .quit: .quit
        case .explain: .explain
        case .refresh: .refresh
        case .manifest: .manifest
        case .watch: .watch
        case .push, .transfers: nil
        }
    }
}
