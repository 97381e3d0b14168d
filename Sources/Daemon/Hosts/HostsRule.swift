// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Which hosts the daemon runs: one for each app of the manifests. Events in, actions out.
struct HostsRule: Equatable {
    enum Event: Equatable {
        /// These manifests are there; sorted by name.
        case listed([String])
        /// A manifest was written or replaced.
        case changed(String)
        /// A manifest has another owner: the user that hosted it may not do so any more.
        case changedOwner(String)
        /// A manifest that was to be looked at is one of this app.
        case looked(String, app: String)
        /// Its host has ended; or it could not be looked at.
        case ended(String, End)
        /// The instant asked for by `wake` has come.
        case timer
        case shutdown
    }

    /// How a host ended.
    enum End: Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    enum Action: Equatable {
        /// Whose app it is must be found out. One at a time, in the order of the names: so of two
        /// manifests of one app it is the same at every start that is hosted. Round and round: one that
        /// is changed all the time holds up no other.
        case look(String)
        case start(String)
        /// Its handlers are told, and it ends when they have.
        case terminate(String)
        /// It is left aside until its manifest is changed.
        case leaveAside(String, End)
        /// It is left aside as long as another manifest of the same app is hosted.
        case leaveTwin(String, app: String, of: String)
        /// It is started again at this elapsed instant.
        case retry(String, End, at: Int64)
        case wake(at: Int64?)
        /// No host is left: the daemon ends.
        case finish
    }

    /// What is done about a manifest.
    enum State: Equatable {
        /// It will be looked at. `app`: it was hosted as this one before, and will be if nothing changed.
        case queued(app: String?)
        /// `changed`: it was written since.
        case looking(app: String?, changed: Bool)
        /// `changed`: its manifest was written since; it may have been read before that.
        case running(app: String, since: Int64, changed: Bool)
        /// Its manifest is gone; or, with `again`, was gone and is back.
        case ending(app: String?, again: Bool)
        case waiting(app: String?, until: Int64)
        /// Its manifest is bad.
        case aside
        /// `other` is hosted, and is a manifest of the same app.
        case twin(app: String, of: String)

        /// The app that no other manifest may have meanwhile.
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
    /// How long each waits after its next end.
    private var delays: [String: Int64] = [:]
    private var isShuttingDown = false
    private var wake: Int64?
    private var lastLooked = ""

    /// Before a host that has ended is started again. systemd: RestartSec, and RestartMaxDelaySec.
    static let firstDelay: Int64 = 1_000_000_000
    static let longestDelay: Int64 = 300 * firstDelay

    /// Whether every manifest there is has been looked at.
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

    /// A host that runs notices by itself, unless it was reading just then.
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
        // Whatever looked at it is gone, too late to be told to end: nothing else will end.
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

    /// The app of a manifest that was left aside for another one may be free now.
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
    /// Whether it is hosted again when its host has ended.
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
    /// sysexits: EX_USAGE, EX_DATAERR, EX_NOINPUT, EX_NOPERM. To start it again would change nothing.
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
