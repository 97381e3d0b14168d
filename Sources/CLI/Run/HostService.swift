// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunPolicy

/// Reports the state of a host to systemd, for a unit of `Type=notify` or `notify-reload`.
final class HostService {
    private let manager: ServiceManager
    private unowned let host: Host
    private var isReady = false

    init(_ manager: ServiceManager, _ host: Host) {
        self.manager = manager
        self.host = host
    }

    /// The host has been started.
    func ready() {
        manager.ready(status)
        isReady = true
    }

    /// Running attempts or pending requests may have changed.
    func handled() {
        if isReady, !host.engine.isEnding { manager.say(status) }
    }

    func reloading(_ read: () -> Void) {
        manager.reloading()
        read()
        manager.ready(status)
    }

    func stopping() { manager.stopping("ending: \(host.running.count) running") }

    private var status: String {
        "\(host.running.count) running, \(host.engine.pendingCount) pending"
    }
}
