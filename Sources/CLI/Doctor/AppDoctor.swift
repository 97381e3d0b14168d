// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor
import Glibc

/// Checks of one app. Reads its manifest, its state and its host, and changes nothing.
struct AppDoctor {
    /// The path as given on the command line.
    let path: String
    /// The effective manifest.
    let manifest: Manifest
    let warnings: Int
    /// Why no host can start with the file, while a running one uses the previous manifest.
    let problem: String?
    let state: StateDirectory
    /// Whether the store exists but cannot be read at all.
    let isStoreUnreadable: Bool
    let options: String

    func findings(_ check: DoctorCheck) throws -> [DoctorFinding] {
        // All further reads would fail with less helpful messages.
        if state.closed != nil, ![.manifest, .handlers, .confine].contains(check) {
            return check == .host ? [stateFinding] : []
        }
        guard !check.needsStore || !isStoreUnreadable else { return [] }
        return switch check {
        case .manifest: [read]
        case .identifiers: [try identifiers()]
        case .handlers: try handlers()
        case .confine: confinement
        case .state: [stateFinding]
        case .store: [storeFinding]
        case .host: [try host()]
        case .pushes: try pushes()
        case .transfers: transfers
        default: try past(check)
        }
    }

    private var read: DoctorFinding {
        if let problem {
            return .fail(
                .manifest, problem,
                "no host starts with it; the host of \(manifest.app) uses the previous manifest",
                next: "bgrun lint \(path)")
        }
        if let problem = ManifestFile(path: path).untrusted(manifest) {
            // Only root's hosts always require it.
            return DoctorFinding(
                check: .manifest, status: geteuid() == 0 ? .fail : .warn, found: problem.line,
                meaning: "\(ManifestFile.refuser) does not start with it",
                next: "bgrun lint \(path)")
        }
        return warnings == 0
            ? .ok(
                .manifest,
                "\(path) declares \(manifest.tasks.count.counted("task")) of \(manifest.app)")
            : .warn(
                .manifest, "\(path) is valid, with \(warnings.counted("warning"))",
                "something in it is probably a mistake", next: "bgrun lint \(path)")
    }

    /// Requests without a handling task.
    private func identifiers() throws -> DoctorFinding {
        let declared = manifest.tasks.map(\.declaration.identifier)
        let rule = IdentifierRule(permitting: declared)
        let requests = try store?.pending(limit: 10_000) ?? []
        let unknown = requests.map(\.identifier).filter { !rule.permits($0) }
        guard let first = unknown.first else {
            return .ok(.identifiers, "every request that waits is of a task of the manifest")
        }
        return .fail(
            .identifiers,
            "no task handles \(first)"
                + (unknown.count > 1 ? " and \(unknown.count - 1) other requests" : "")
                + NearMiss.hint(first, among: declared),
            "it waits for a manifest that declares it, letter by letter",
            next: "bgrun pending \(options)")
    }

    /// Loads every plugin in a separate process, as a host would, and looks for the handlers.
    private func handlers() throws -> [DoctorFinding] {
        let installation = Installation()
        guard let worker = installation.worker else { return [] }
        let images = PluginImages(installation: installation)
        let findings = try manifest.plugins.compactMap { plugin -> DoctorFinding? in
            guard manifest.tasks.contains(where: { $0.isHandled(by: plugin.name) }) else {
                return nil
            }
            switch images.image(manifest, plugin.name) {
            case .failure(let refusal):
                return .fail(
                    .handlers, refusal.message, "its tasks are refused at launch",
                    next: "bgrun plugin check FILE")
            case .success(let image):
                return try finding(plugin.name, image, worker)
            }
        }
        return findings.isEmpty ? [.ok(.handlers, "no task needs a plugin")] : findings
    }

    private func finding(
        _ name: String, _ image: PluginImage, _ worker: String
    ) throws -> DoctorFinding {
        let check: HandlerCheck
        do {
            check = try HandlerCheck(manifest, name, image, worker: worker)
        } catch let error as HandlerCheck.Unloadable {
            return .fail(
                .handlers, LogText.visible("\(name): \(error.reason)"),
                "its tasks are refused at launch", next: "bgrun plugin check \(image.displayPath)")
        }
        guard let problem = check.problems.first else {
            let found = check.found
            return .ok(
                .handlers,
                found.isEmpty
                    ? "\(name) registers its tasks when a person asks for them"
                    : "\(name) registers \(found.joined(separator: ", "))")
        }
        return .fail(
            .handlers, problem.message, "its handler never runs", next: "bgrun lint \(path)")
    }

    private var stateFinding: DoctorFinding {
        if case .closed(let path, let mode)? = state.closed {
            return .fail(
                .state, "\(path) denies access to its own user, mode \(String(mode, radix: 8))",
                "nothing can be run or shown", next: "chmod 700 \(path)")
        }
        var status = stat()
        guard stat(state.path, &status) == 0 else {
            return .warn(
                .state, "\(state.path) is not there", "no host of this app has ever run here",
                next: "bgrun run \(options)")
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            return wrongMode(
                status, "belongs to user \(status.st_uid)",
                "no host starts where others can change its state")
        }
        guard status.st_mode & 0o700 == 0o700 else {
            return wrongMode(
                status, "cannot be used by its own user",
                "no host starts where it cannot write its state")
        }
        var files = statvfs()
        let isKnown = statvfs(state.path, &files) == 0
        // Saturates: a file system of 2^64 bytes has enough space.
        let size = UInt64(clamping: files.f_bavail).multipliedReportingOverflow(
            by: UInt64(clamping: files.f_frsize))
        let free = !isKnown ? 0 : size.overflow ? UInt64.max : size.partialValue
        guard free > 10 << 20 else {
            return .fail(
                .state, "\(free >> 10) KiB are free at \(state.path)",
                "a host that cannot write ends", next: "df \(state.path)")
        }
        return .ok(.state, "\(state.path), \(free >> 20) MiB free")
    }

    private func wrongMode(
        _ status: stat, _ problem: String, _ consequence: String
    ) -> DoctorFinding {
        .fail(
            .state, "\(state.path) \(problem), mode " + String(status.st_mode & 0o777, radix: 8),
            consequence, next: "chmod 700 \(state.path)")
    }

    private var storeFinding: DoctorFinding {
        do throws(StoreError) {
            let store = try state.openStoreToRead()
            let count = try store.pendingCount()
            if let file = state.inaccessibleStoreFile {
                return .fail(
                    .store, "\(file) cannot be written by this user",
                    "a host that cannot write ends", next: "chmod 600 \(file)")
            }
            return .ok(.store, count.counted("request waits", "requests wait"))
        } catch {
            guard case .missing = error else { return bad(error) }
            return .warn(
                .store, "the database is missing", "no host of this app has ever run here",
                next: "bgrun run \(options)")
        }
    }

    private func bad(_ error: StoreError) -> DoctorFinding {
        let next: String? =
            switch error {
            case .corrupt(let path, _): "sqlite3 \(path) .recover"
            case .outdated: "bgrun run \(options)"
            case .full: "df \(state.path)"
            case .unavailable: "ls -l \(state.path)"
            // Their messages contain all steps.
            default: nil
            }
        return DoctorFinding(
            check: .store, status: .fail, found: error.message,
            meaning: "nothing can be run or shown", next: next)
    }

    /// Nil if it does not exist or cannot be read: the check `store` reports that.
    var store: Store? { try? state.openStoreToRead() }

    /// The host's answer. The wait for a stopped host is shorter than in other commands.
    func ask(_ request: ControlRequest) throws -> ControlResponse {
        try ControlClient(path: state.controlSocket, timeout: .seconds(3)).ask(request)
    }

    /// The sources of silent pushes, as far as a host reports them.
    private func pushes() throws -> [DoctorFinding] {
        guard manifest.push != nil, try HostLock.holder(of: state.hostLock) != nil,
            let sources = try? ask(ControlRequest(.running)).pushSources
        else { return [] }
        return sources.map { source in
            let name = "\(source.source) \(source.place)"
            let since = source.since.localText
            guard let problem = source.problem else {
                return .ok(.pushes, "the source of pushes \(name) has worked since \(since)")
            }
            return .fail(
                .pushes, "the source of pushes \(name) has not worked since \(since): \(problem)",
                "what is sent there waits, or is lost", next: "bgrun logs \(options)")
        }
    }

    private func host() throws -> DoctorFinding {
        guard let holder = try HostLock.holder(of: state.hostLock) else {
            return .warn(
                .host, "no host of \(manifest.app) runs", "nothing is launched until one does",
                next: "bgrun run \(options) --stay")
        }
        let result = Result { try ask(ControlRequest(.watch)) }
        if case .failure(let error as ControlClient.TooManyConnections) = result {
            return .fail(.host, error.message, "no command reaches it", next: "ss -xp")
        }
        guard let answer = try? result.get() else {
            if let unreachable = UnreachableHost(state) {
                return unreachable.hasLostSocket
                    ? .fail(
                        .host, unreachable.problem, "no command reaches it",
                        next: "kill \(unreachable.process)")
                    : .warn(
                        .host, unreachable.problem, "no command reaches a host now",
                        next: "ps -o stat,wchan \(unreachable.process)")
            }
            return .fail(
                .host, "the host, process \(holder.pid), does not answer",
                "it is stopped, or busy for long", next: "ps -o stat,wchan \(holder.pid)")
        }
        let overview = answer.overview?.clamped
        if let wait = overview?.storeWait(of: state.database, \.localTimeOfDay) {
            return .warn(
                .host, wait,
                "end that program: after `store_wait` (\(manifest.policy.storeWait.brief)) the host ends",
                next: "fuser -v \(state.database), or lsof \(state.database)")
        }
        guard holder.version == Version.text else {
            return .warn(
                .host, "the host is of bgrun \(holder.version), this one is \(Version.text)",
                "it starts workers it may not understand",
                next: "kill \(holder.pid), then start it again")
        }
        return .ok(.host, "process \(holder.pid) since \(holder.started.localText)")
    }
}
