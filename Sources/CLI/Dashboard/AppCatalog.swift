// SPDX-License-Identifier: Apache-2.0

import BGRunDaemon
import BGRunManifest
import BGRunStorage
import BGRunSystem
import Glibc
import Synchronization

/// The apps of a dashboard or of metrics.
final class AppCatalog: Sendable {
    /// The named manifests and apps; if both are empty, all apps with state.
    private let manifests: [String]
    private let names: [String]
    private let states: StatePlaces
    private let cache = Mutex<[String: Known]>([:])

    /// A manifest, and the state of its file when it was read.
    private struct Known {
        var stamp: FileStamp?
        var manifest: Manifest?
        var problem: String?
    }

    init(manifests: [String], names: [String], state: String?) {
        self.manifests = manifests
        self.names = names
        states = StatePlaces(override: state)
    }

    /// All apps that exist now.
    func apps() throws -> [CatalogApp] {
        var apps = try manifests.compactMap { path -> CatalogApp? in
            let known = read(path)
            guard let manifest = known.manifest else { return nil }
            return CatalogApp(
                state: try states.existing(of: manifest.app, manifest: path), manifest: manifest,
                problem: known.problem, isNamed: true)
        }
        apps += try names.map { found(try states.existing(of: $0), isNamed: true) }
        guard manifests.isEmpty, names.isEmpty else { return apps }
        return try states.stored().map { found($0, isNamed: false) }
    }

    /// The problems of named manifests that have never been valid.
    func problems() -> [String] {
        manifests.compactMap { path in
            let known = read(path)
            return known.manifest == nil ? known.problem : nil
        }
    }

    /// The manifests that a daemon has set aside, if no app was named: for root's daemon, only those
    /// that this user may correct.
    func setAside() -> [String] {
        guard manifests.isEmpty, names.isEmpty else { return [] }
        let user = Account(Rights.startedAs).name
        return states.daemons.flatMap { base in
            let isForeign = base == DaemonPlaces.commonState && Rights.startedAs != 0
            let hosts = DaemonFile(base: base).read()?.hosts ?? []
            return hosts.filter { $0.state == .aside && (!isForeign || $0.user == user) }
        }.map {
            LogText.visible("\($0.manifest) is left aside: \($0.reason ?? "it is not hosted")")
        }
    }

    /// The app of a state, with the manifest that its host reports.
    private func found(_ state: StateDirectory, isNamed: Bool) -> CatalogApp {
        // The lock contains a path that another user controls.
        guard state.foreignOwner == nil else { return CatalogApp(state: state, isNamed: isNamed) }
        let holder = (try? HostLock.holder(of: state.hostLock)).flatMap { $0 }
        let known = holder.flatMap { $0.manifest.isEmpty ? nil : read($0.manifest) }
        return CatalogApp(
            state: state, manifest: known?.manifest.flatMap { $0.app == state.app ? $0 : nil },
            problem: known?.problem, isNamed: isNamed)
    }

    /// The manifest; while it is invalid, the previous one.
    private func read(_ path: String) -> Known {
        guard let stamp = FileStamp(path) else {
            var known = cache.withLock { $0[path] } ?? Known()
            known.problem = "\(path) is missing"
            return known
        }
        let before = cache.withLock { $0[path] }
        if let before, before.stamp == stamp { return before }
        var known = Known(stamp: stamp, manifest: before?.manifest)
        do throws(ManifestProblems) {
            known.manifest = try ManifestReader.read(
                path: path, options: .installed(checkingFiles: false)
            ).manifest
        } catch {
            known.problem = error.firstError?.rendered(color: false)
        }
        cache.withLock { [known] in $0[path] = known }
        return known
    }
}
