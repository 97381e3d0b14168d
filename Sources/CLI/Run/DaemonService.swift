// SPDX-License-Identifier: Apache-2.0

import BGRunDaemon
import BGRunEventLoop

/// Reports the state of a daemon: to systemd, if that started it, and in a file for `bgrun apps`.
final class DaemonService {
    private unowned let daemon: Daemon
    private let manager: ServiceManager?
    private let file: DaemonFile
    private var said: [HostStatus]?
    /// Whether to tell the manager that all manifests are in effect.
    private var owesReady = true
    private var isStopping = false

    init(_ daemon: Daemon, _ manager: ServiceManager?, _ file: DaemonFile) {
        self.daemon = daemon
        self.manager = manager
        self.file = file
        daemon.changed = { [unowned self] in say() }
    }

    func reloading() {
        guard !isStopping else { return }
        manager?.reloading()
        owesReady = true
    }

    func stopping() {
        guard !isStopping else { return }
        isStopping = true
        manager?.stopping("ending: \(daemon.status.filter { $0.process != nil }.count) hosts")
    }

    func ended() {
        if said != nil { file.remove() }
    }

    private func say() {
        let status = daemon.status
        if status != said, file.write(status) { said = status }
        guard !isStopping else { return }
        let hosted = status.filter { $0.state == .hosted }.count
        let rest = status.count - hosted
        let text = "hosted: \(hosted)" + (rest == 0 ? "" : ", not hosted: \(rest) (see bgrun apps)")
        if owesReady, daemon.isSettled {
            owesReady = false
            manager?.ready(text)
        } else {
            manager?.say(text)
        }
    }
}
