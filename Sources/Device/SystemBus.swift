// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import CBGRunShims
import Glibc

/// The services of the system bus. Watches for its socket while that is missing; retries a bus that does
/// not answer, at growing intervals. Belongs to the loop's thread.
final class SystemBus {
    private static let firstRetry: Int64 = 1_000_000_000
    private static let longestRetry: Int64 = 60_000_000_000

    private let loop: EventLoop
    private let address: String?
    private let changed: () -> Void
    private var bus: BusConnection?
    private var retryTimer: LoopTimer?
    private var wasThere = false
    private var socketWatch: PathAppearance?
    private var retry = SystemBus.firstRetry

    /// The reason why libsystemd cannot be loaded; nil: it can, or there is no bus.
    private var libraryProblem: String?
    private(set) var network: BusService<ManagedNetwork>?
    private(set) var sessions: BusService<[Session]>?
    private(set) var sleep: BusService<SleepNews>?
    private var profiles: [(name: String, service: BusService<String>)] = []

    private let awaitsBus: Bool

    /// `changed` is called after each report of a service, and after the end of the connection.
    init(_ loop: EventLoop, address: String?, awaitsBus: Bool, changed: @escaping () -> Void) {
        self.loop = loop
        self.address = address
        self.awaitsBus = awaitsBus
        self.changed = changed
        connect()
    }

    /// Whether every service has been asked.
    var isKnown: Bool {
        bus == nil
            || (network?.isKnown ?? true) && (sessions?.isKnown ?? true)
                && (sleep?.isKnown ?? true)
                && profiles.allSatisfy(\.service.isKnown)
    }

    var profile: ProfileSnapshot {
        guard bus != nil else { return libraryProblem.map { .noLibrary($0) } ?? .noBus }
        for (name, service) in profiles {
            if let profile = service.value { return .active(profile, daemon: name) }
        }
        return .noDaemon
    }

    /// Reads logind's terminal input, which no signal announces.
    func lookAtTerminals() { sessions?.read() }

    /// Asks all services again: the machine may have missed their signals while it slept.
    func lookAgain() {
        network?.read()
        sessions?.read()
        sleep?.read()
        for (_, service) in profiles { service.read() }
    }

    func delaySleep(taken: @escaping (Int32?) -> Void) {
        guard let bus else { return taken(nil) }
        Logind.delaySleep(bus, taken: taken)
    }

    private func connect() {
        socketWatch = nil
        do throws(SystemdLibrary.Missing) {
            guard let bus = try BusConnection(loop, address: address) else {
                return scheduleRetry()
            }
            serve(bus)
        } catch {
            // Only another process can load a library that is installed later.
            libraryProblem = error.message
        }
    }

    private func serve(_ bus: BusConnection) {
        self.bus = bus
        bus.closed = { [weak self] in self?.lose() }
        let changed = { [weak self] in self?.hear() ?? () }
        network = NetworkManager.service(bus, changed: changed)
        sessions = Logind.sessions(bus, changed: changed)
        sleep = Logind.sleep(bus, changed: changed)
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
        // The connection, and possibly its services, are on the call stack now.
        loop.afterThisRound { [weak self] in
            guard let self else { return }
            network = nil
            sessions = nil
            sleep = nil
            profiles = []
            bus = nil
            scheduleRetry()
            changed()
        }
    }

    private func scheduleRetry() {
        if let path = BusConnection.socketPath(of: address), access(path, F_OK) != 0 {
            guard awaitsBus else { return }
            socketWatch = PathAppearance(loop, path) { [weak self] in self?.connect() }
            return
        }
        guard wasThere || BusConnection.socketPath(of: address) != nil else { return }
        retryTimer = retryTimer ?? (try? LoopTimer(loop) { [weak self] in self?.connect() })
        retryTimer?.set(elapsed: bgrun_boottime_ns() + retry)
        retry = min(retry * 2, Self.longestRetry)
    }
}
