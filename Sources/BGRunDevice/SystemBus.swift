// SPDX-License-Identifier: Apache-2.0

import BGRunLoop
import CBGRunShims

/// The services of the system bus. A bus that was there and is lost is looked for again, ever more
/// rarely; one that never was there is not.
///
/// Belongs to the loop's thread.
final class SystemBus {
    private static let firstRetry: Int64 = 1_000_000_000
    private static let longestRetry: Int64 = 60_000_000_000

    private let loop: EventLoop
    private let address: String?
    private let changed: () -> Void
    private var bus: BusConnection?
    private var retryTimer: LoopTimer?
    private var wasThere = false
    private var retry = SystemBus.firstRetry

    private(set) var network: BusService<ManagedNetwork>?
    private(set) var logind: BusService<LogindSnapshot>?
    private var profiles: [(name: String, service: BusService<String>)] = []

    /// `changed` is called when a service has said something, and when the bus has gone.
    init(_ loop: EventLoop, address: String?, changed: @escaping () -> Void) {
        self.loop = loop
        self.address = address
        self.changed = changed
        connect()
    }

    /// Whether every service has been asked.
    var isKnown: Bool {
        bus == nil
            || (network?.isKnown ?? true) && (logind?.isKnown ?? true)
                && profiles.allSatisfy(\.service.isKnown)
    }

    var profile: ProfileSnapshot {
        guard bus != nil else { return .noBus }
        for (name, service) in profiles {
            if let profile = service.value { return .active(profile, daemon: name) }
        }
        return .noDaemon
    }

    /// Asks what no signal tells: the input of logind's terminals.
    func lookAgain() {
        logind?.read()
    }

    private func connect() {
        guard let bus = BusConnection(loop, address: address) else { return scheduleRetry() }
        self.bus = bus
        bus.closed = { [weak self] in self?.lose() }
        let changed = { [weak self] in self?.hear() ?? () }
        network = NetworkManager.service(bus, changed: changed)
        logind = Logind.service(bus, changed: changed)
        profiles = PowerProfiles.names.map {
            ($0.name, PowerProfiles.service(bus, $0, changed: changed))
        }
    }

    private func hear() {
        if bus != nil, isKnown {
            wasThere = true
            retry = Self.firstRetry
        }
        changed()
    }

    private func lose() {
        // The connection is on the stack now, and so may be its services.
        loop.afterThisRound { [weak self] in
            guard let self else { return }
            network = nil
            logind = nil
            profiles = []
            bus = nil
            scheduleRetry()
            changed()
        }
    }

    private func scheduleRetry() {
        guard wasThere else { return }
        retryTimer = retryTimer ?? (try? LoopTimer(loop) { [weak self] in self?.connect() })
        retryTimer?.set(elapsed: bgrun_boottime_ns() + retry)
        retry = min(retry * 2, Self.longestRetry)
    }
}
