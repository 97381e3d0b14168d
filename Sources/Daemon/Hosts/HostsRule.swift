// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Decides which hosts the daemon runs: one per app. Turns events into actions.
struct HostsRule: Equatable {
    enum Event: Equatable {
        /// The directory contains these manifests; sorted by name.
        case listed([String])
        /// A manifest was written or replaced.
        case changed(String)
        /// A manifest has another owner: its user may no longer host it.
        case changedOwner(String)
        /// An inspected manifest belongs to this app.
        case looked(String, app: String)
        /// Its host has ended; or its inspection failed.
        case ended(String, End)
        /// The instant that `wake` requested has come.
        case timer
        case shutdown
    }

    /// The end of a host.
    enum End: Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    enum Action: Equatable {
        /// Find its app. One at a time, sorted by name, so that of two manifests of one app every start
        /// hosts the same one. In rounds: a manifest that changes all the time does not delay the others.
        case look(String)
        case start(String)
        /// End it: its handlers are notified first.
        case terminate(String)
        /// Leave it aside until its manifest changes.
        case leaveAside(String, End)
        /// Leave it aside while another manifest of the same app is hosted.
        case leaveTwin(String, app: String, of: String)
        /// Restart it at this elapsed instant.
        case retry(String, End, at: Int64)
        case wake(at: Int64?)
        /// End the daemon: no host is left.
        case finish
    }

    /// The state of a manifest.
    enum State: Equatable {
        /// Waits for its inspection. `app`: its app before, which it keeps if nothing changed.
        case queued(app: String?)
        /// `changed`: it was written since the inspection began.
        case looking(app: String?, changed: Bool)
        /// `changed`: its manifest was written since the start, possibly before the host read it.
        case running(app: String, since: Int64, changed: Bool)
        /// Its manifest was removed; `again`: and has returned.
        case ending(app: String?, again: Bool)
        case waiting(app: String?, until: Int64)
        /// Its manifest is invalid.
        case aside
        /// `other` is a hosted manifest of the same app.
        case twin(app: String, of: String)

        /// The app, which no other manifest may have meanwhile.
        var app: String? {
            switch self {
            case .running(let app, _, _): app
            case .queued(let app), .looking(let app, _), .ending(let app, _), .waiting(let app, _):
                app
            case .aside, .twin: nil
            }
        }
    }

    private(set) var hosts: [String: State] = [:]
    /// The delay after the next end of each.
    private var delays: [String: Int64] = [:]
    private var isShuttingDown = false
    private var wake: Int64?
    private var lastLooked = ""

    /// The delay before a restart. systemd: RestartSec, and RestartMaxDelaySec.
    static let firstDelay: Int64 = 1_000_000_000
    static let longestDelay: Int64 = 300 * firstDelay

    /// Whether every existing manifest has been inspected.
    var isSettled: Bool { !hosts.values.contains { $0.isQueued || $0.isLooking } }

    mutating func handle(_ event: Event, at elapsed: Int64) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .listed(let names): list(names, &actions)
        case .changed(let name): change(name)
        case .changedOwner(let name): changeOwner(name, &actions)
        case .looked(let name, let app): look(name, app, at: elapsed, &actions)
        case .ended(let name, let end): self.end(name, end, at: elapsed, &actions)
        case .timer:
            for case (let name, .waiting(let app, let date)) in hosts where date <= elapsed {
                hosts[name] = .queued(app: app)
            }
        case .shutdown:
            isShuttingDown = true
            for (name, state) in sorted { terminate(name, state, &actions) }
        }
        admitTwins()
        lookAtNext(&actions)
        finishOrWake(&actions)
        return actions
    }

    private var sorted: [(key: String, value: State)] { hosts.sorted { $0.key < $1.key } }

    private mutating func list(_ names: [String], _ actions: inout [Action]) {
        guard !isShuttingDown else { return }
        for name in names {
            switch hosts[name] {
            case nil: hosts[name] = .queued(app: nil)
            case .ending(let app, _): hosts[name] = .ending(app: app, again: true)
            default: break
            }
        }
        for (name, state) in sorted where !names.contains(name) { terminate(name, state, &actions) }
    }

    /// A running host notices by itself, unless it was just reading.
    private mutating func change(_ name: String) {
        switch hosts[name] {
        case .aside, .twin, .waiting:
            delays[name] = nil
            hosts[name] = .queued(app: hosts[name]?.app)
        case .looking(let app, _): hosts[name] = .looking(app: app, changed: true)
        case .running(let app, let since, _):
            hosts[name] = .running(app: app, since: since, changed: true)
        default: break
        }
    }

    private mutating func changeOwner(_ name: String, _ actions: inout [Action]) {
        guard case .running(let app, _, _) = hosts[name] else { return change(name) }
        hosts[name] = .ending(app: app, again: true)
        actions.append(.terminate(name))
    }

    private mutating func look(
        _ name: String, _ app: String, at elapsed: Int64, _ actions: inout [Action]
    ) {
        switch hosts[name] {
        case .looking(let before, changed: true): hosts[name] = .queued(app: before)
        case .looking:
            if let other = sorted.first(where: { $0.key != name && $0.value.app == app }) {
                hosts[name] = .twin(app: app, of: other.key)
                actions.append(.leaveTwin(name, app: app, of: other.key))
            } else {
                hosts[name] = .running(app: app, since: elapsed, changed: false)
                actions.append(.start(name))
            }
        // The inspection ended too early to be cancelled: nothing else will end.
        case .ending: end(name, .exit(0), at: elapsed, &actions)
        default: break
        }
    }

    private mutating func terminate(_ name: String, _ state: State, _ actions: inout [Action]) {
        switch state {
        case .looking, .running:
            hosts[name] = .ending(app: state.app, again: false)
            actions.append(.terminate(name))
        case .ending(let app, _): hosts[name] = .ending(app: app, again: false)
        case .queued, .waiting, .aside, .twin: hosts[name] = nil
        }
    }

    private mutating func end(
        _ name: String, _ end: End, at elapsed: Int64, _ actions: inout [Action]
    ) {
        guard let state = hosts.removeValue(forKey: name) else { return }
        switch state {
        case .ending(let app, again: true) where !isShuttingDown: hosts[name] = .queued(app: app)
        case .ending: delays[name] = nil
        case .running where isShuttingDown, .looking where isShuttingDown: break
        case .running(_, _, let changed) where end.isOfItsManifest,
            .looking(_, let changed) where end.isOfItsManifest:
            hosts[name] = changed ? .queued(app: nil) : .aside
            if !changed { actions.append(.leaveAside(name, end)) }
        case .running(let app, let since, _):
            // fits: our own clock
            retry(name, end, app: app, ran: elapsed - since, at: elapsed, &actions)
        case .looking(let app, _): retry(name, end, app: app, ran: 0, at: elapsed, &actions)
        case .queued, .waiting, .aside, .twin: hosts[name] = state
        }
    }

    private mutating func retry(
        _ name: String, _ end: End, app: String?, ran: Int64, at elapsed: Int64,
        _ actions: inout [Action]
    ) {
        let delay = ran >= Self.longestDelay ? Self.firstDelay : delays[name] ?? Self.firstDelay
        delays[name] = min(delay * 2, Self.longestDelay)
        let date = elapsed.saturatingAdding(delay)
        hosts[name] = .waiting(app: app, until: date)
        actions.append(.retry(name, end, at: date))
    }

    /// The app of a manifest that was left aside for another may be free now.
    private mutating func admitTwins() {
        let apps = Set(hosts.values.compactMap(\.app))
        for case (let name, .twin(let app, _)) in hosts where !apps.contains(app) {
            hosts[name] = .queued(app: nil)
        }
    }

    private mutating func lookAtNext(_ actions: inout [Action]) {
        guard !isShuttingDown, !hosts.values.contains(where: \.isLooking) else { return }
        let queued = hosts.filter(\.value.isQueued).keys.sorted()
        guard let next = queued.first(where: { $0 > lastLooked }) ?? queued.first else { return }
        lastLooked = next
        hosts[next] = .looking(app: hosts[next]?.app, changed: false)
        actions.append(.look(next))
    }

    private mutating func finishOrWake(_ actions: inout [Action]) {
        if isShuttingDown, hosts.isEmpty { actions.append(.finish) }
        let next = hosts.values.compactMap { state -> Int64? in
            if case .waiting(_, let date) = state { date } else { nil }
        }.min()
        guard next != wake else { return }
        wake = next
        actions.append(.wake(at: next))
    }
}

extension HostsRule.State {
    /// Whether it is hosted again after its host has ended.
    var isToReturn: Bool {
        if case .ending(_, again: true) = self { true } else { false }
    }

    fileprivate var isQueued: Bool {
        if case .queued = self { true } else { false }
    }

    fileprivate var isLooking: Bool {
        if case .looking = self { true } else { false }
    }
}

extension HostsRule.End {
    /// sysexits: EX_USAGE, EX_DATAERR, EX_NOINPUT, EX_NOPERM. A restart would not help.
    fileprivate var isOfItsManifest: Bool {
        [.exit(64), .exit(65), .exit(66), .exit(77)].contains(self)
    }

    var text: String {
        switch self {
        case .exit(let code): "exit code \(code)"
        case .signal(let number): "killed by signal \(number)"
        }
    }
}
