// SPDX-License-Identifier: Apache-2.0

/// Which hosts the daemon runs: one for each manifest. Events in, actions out.
struct HostsRule: Equatable {
    enum Event: Equatable {
        /// These manifests are there; sorted by name.
        case listed([String])
        /// A manifest was written or replaced.
        case changed(String)
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
        case start(String)
        /// Its handlers are told, and it ends when they have.
        case terminate(String)
        /// It is left aside until its manifest is changed.
        case leaveAside(String, End)
        /// It is started again at this elapsed instant.
        case retry(String, End, at: Int64)
        case wake(at: Int64?)
        /// No host is left: the daemon ends.
        case finish
    }

    private enum State: Equatable {
        /// `changed`: its manifest was written since; it may have been read before that.
        case running(since: Int64, changed: Bool)
        /// Its manifest is gone; or, with `again`, was gone and is back.
        case ending(again: Bool)
        case waiting(until: Int64)
        /// Its manifest is bad.
        case aside
    }

    private var hosts: [String: State] = [:]
    /// How long each waits after its next end.
    private var delays: [String: Int64] = [:]
    private var isShuttingDown = false
    private var wake: Int64?

    /// Before a host that has ended is started again. systemd: RestartSec, and RestartMaxDelaySec.
    static let firstDelay: Int64 = 1_000_000_000
    static let longestDelay: Int64 = 300 * firstDelay

    mutating func handle(_ event: Event, at elapsed: Int64) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .listed(let names): list(names, at: elapsed, &actions)
        case .changed(let name): change(name, at: elapsed, &actions)
        case .ended(let name, let end): self.end(name, end, at: elapsed, &actions)
        case .timer:
            for (name, state) in hosts.sorted(by: { $0.key < $1.key }) {
                guard case .waiting(let date) = state, date <= elapsed else { continue }
                start(name, at: elapsed, &actions)
            }
        case .shutdown:
            isShuttingDown = true
            for (name, state) in hosts.sorted(by: { $0.key < $1.key }) {
                terminate(name, state, &actions)
            }
        }
        finishOrWake(&actions)
        return actions
    }

    private mutating func list(_ names: [String], at elapsed: Int64, _ actions: inout [Action]) {
        guard !isShuttingDown else { return }
        for name in names {
            switch hosts[name] {
            case nil: start(name, at: elapsed, &actions)
            case .ending: hosts[name] = .ending(again: true)
            default: break
            }
        }
        for (name, state) in hosts.sorted(by: { $0.key < $1.key }) where !names.contains(name) {
            terminate(name, state, &actions)
        }
    }

    /// A host that runs notices by itself, unless it was reading just then.
    private mutating func change(_ name: String, at elapsed: Int64, _ actions: inout [Action]) {
        switch hosts[name] {
        case .aside, .waiting:
            delays[name] = nil
            start(name, at: elapsed, &actions)
        case .running(let since, _): hosts[name] = .running(since: since, changed: true)
        default: break
        }
    }

    private mutating func start(_ name: String, at elapsed: Int64, _ actions: inout [Action]) {
        hosts[name] = .running(since: elapsed, changed: false)
        actions.append(.start(name))
    }

    private mutating func terminate(_ name: String, _ state: State, _ actions: inout [Action]) {
        switch state {
        case .running:
            hosts[name] = .ending(again: false)
            actions.append(.terminate(name))
        case .ending: hosts[name] = .ending(again: false)
        case .waiting, .aside: hosts[name] = nil
        }
    }

    private mutating func end(
        _ name: String, _ end: End, at elapsed: Int64, _ actions: inout [Action]
    ) {
        guard let state = hosts.removeValue(forKey: name) else { return }
        switch state {
        case .ending(again: true) where !isShuttingDown: start(name, at: elapsed, &actions)
        case .ending: delays[name] = nil
        case .running where isShuttingDown: break
        case .running(_, changed: true) where end.isOfItsManifest:
            start(name, at: elapsed, &actions)
        case .running where end.isOfItsManifest:
            hosts[name] = .aside
            actions.append(.leaveAside(name, end))
        case .running(let since, _):
            let ran = elapsed - since
            let delay = ran >= Self.longestDelay ? Self.firstDelay : delays[name] ?? Self.firstDelay
            delays[name] = min(delay * 2, Self.longestDelay)
            hosts[name] = .waiting(until: elapsed + delay)
            actions.append(.retry(name, end, at: elapsed + delay))
        case .waiting, .aside: break
        }
    }

    private mutating func finishOrWake(_ actions: inout [Action]) {
        if isShuttingDown, hosts.isEmpty { actions.append(.finish) }
        let next = hosts.values.compactMap { state -> Int64? in
            if case .waiting(let date) = state { date } else { nil }
        }.min()
        guard next != wake else { return }
        wake = next
        actions.append(.wake(at: next))
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
