// SPDX-License-Identifier: Apache-2.0

import BGRunDaemon
import BGRunManifest
import BGRunStorage
import BGRunSystem
import Glibc
import Synchronization

/// The apps a dashboard or metrics are about.
final class AppCatalog: Sendable {
    /// Manifests that were named, and apps; with neither every app that has state.
    private let manifests: [String]
    private let names: [String]
    private let states: StatePlaces
    private let cache = Mutex<[String: Known]>([:])

    /// A manifest as it was when its file was like this.
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

    /// Every app, as it is found now.
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

    /// What is wrong with a manifest that was named and has never been good.
    func problems() -> [String] {
        manifests.compactMap { path in
            let known = read(path)
            return known.manifest == nil ? known.problem : nil
        }
    }

    /// The manifests that a daemon has set aside, if no app was named: of root's daemon, only those that
    /// this user may correct.
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

    /// An app by its state; its manifest is the one its host says it goes by.
    private func found(_ state: StateDirectory, isNamed: Bool) -> CatalogApp {
        // The lock names a file that another user controls.
        guard state.foreignOwner == nil else { return CatalogApp(state: state, isNamed: isNamed) }
        let holder = (try? HostLock.holder(of: state.hostLock)).flatMap { $0 }
        let known = holder.flatMap { $0.manifest.isEmpty ? nil : read($0.manifest) }
        return CatalogApp(
            state: state, manifest: known?.manifest.flatMap { $0.app == state.app ? $0 : nil },
            problem: known?.problem, isNamed: isNamed)
    }

    /// The manifest; while it is bad, the one before.
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
