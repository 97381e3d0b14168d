// SPDX-License-Identifier: Apache-2.0

/// The result of one check.
struct DoctorFinding: Encodable, Equatable {
    enum Status: String, Encodable {
        case ok, warn, fail
    }

    var check: DoctorCheck
    var status: Status
    /// The observed fact.
    var found: String
    /// The consequence.
    var meaning: String?
    /// The command to run next.
    var next: String?

    static func ok(_ check: DoctorCheck, _ found: String) -> DoctorFinding {
        DoctorFinding(check: check, status: .ok, found: found)
    }

    static func warn(
        _ check: DoctorCheck, _ found: String, _ meaning: String, next: String
    ) -> DoctorFinding {
        DoctorFinding(check: check, status: .warn, found: found, meaning: meaning, next: next)
    }

    static func fail(
        _ check: DoctorCheck, _ found: String, _ meaning: String, next: String
    ) -> DoctorFinding {
        DoctorFinding(check: check, status: .fail, found: found, meaning: meaning, next: next)
    }
}

/// The checks in the order of a first look: the cheapest and most informative ones first.
enum DoctorCheck: String, Encodable, CaseIterable {
    case installation, manifest, identifiers, handlers, confine, state, store, host, log, transfers,
        pushes
    case forceQuit = "force-quit"
    case refresh, budget, penalties, waiting, failures, device, clock, service, bus, inotify

    /// Whether it reads the store of the app.
    var needsStore: Bool {
        [.identifiers, .log, .forceQuit, .refresh, .budget, .penalties, .waiting, .failures]
            .contains(self)
    }
}

/// A symptom, and the checks that find its cause.
enum Symptom: String, CaseIterable {
    case neverRuns = "never-runs"
    case endsEarly = "ends-early"
    case worksHere = "works-here-not-there"
    case noLaunch = "no-launch"
    case notPermitted = "not-permitted"
    case noHandler = "no-handler"

    var checks: [DoctorCheck] {
        switch self {
        case .neverRuns:
            [
                .manifest, .identifiers, .handlers, .confine, .host, .log, .pushes, .forceQuit,
                .refresh, .waiting, .budget, .penalties, .device, .clock, .service,
            ]
        case .endsEarly: [.failures, .penalties, .budget, .device, .handlers, .clock]
        case .worksHere:
            [
                .installation, .manifest, .handlers, .confine, .state, .store, .host, .device, .bus,
                .inotify, .clock, .service,
            ]
        case .noLaunch:
            [.host, .log, .pushes, .forceQuit, .refresh, .waiting, .budget, .device, .clock]
        case .notPermitted: [.manifest, .identifiers]
        case .noHandler: [.installation, .manifest, .identifiers, .handlers]
        }
    }
}
