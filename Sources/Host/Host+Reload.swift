// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSupervisor
import BGRunSystem

/// A manifest that will take effect soon.
struct ManifestReload {
    var change: ManifestChange?
    /// Whether the file has other contents that were refused.
    var hasRefused = false
    /// Attempts that were told to end because of the change.
    var stopped: Set<Int64> = []
}

extension Host {
    /// Switches to another manifest of the same app. Running attempts continue, unless `next` would start something
    /// else in their place: those are expired first (`manifest-changed`), and nothing is launched until they have
    /// ended.
    ///
    /// The path of the state and `journal_size` take effect with the next host.
    package func reload(_ next: Manifest) {
        guard !engine.isEnding else { return }
        guard next.app == manifest.app else {
            return refuseManifest(
                "its app is \(next.app) now, and this host runs \(manifest.app); "
                    + "run another host for it")
        }
        defer { reloading.hasRefused = false }
        guard reloading.change != nil || !next.saysTheSame(as: manifest) else {
            if reloading.hasRefused { say(.info, "The manifest is valid again and unchanged") }
            return
        }
        let change = ManifestChange(from: manifest, to: next)
        reloading.change = change
        reloading.stopped = Set(stopped(by: change))
        send(.manifestChanged(stopping: reloading.stopped.sorted()))
    }

    /// The manifest was changed but is refused for this reason: the previous one stays in effect.
    package func refuseManifest(_ reason: String) {
        reloading.hasRefused = true
        announce(.error, "manifest-refused", "The changed manifest is not in effect: \(reason)")
    }

    /// Puts the changed manifest into effect once nothing runs that it stops. Returns whether the engine then has
    /// another event to handle.
    func takesOverManifest() -> Bool {
        guard let change = reloading.change, engine.isReloading, !engine.isEnding else {
            return false
        }
        let stopped = Set(stopped(by: change))
        if !stopped.isSubset(of: reloading.stopped) {
            // Launched between the change and this round.
            reloading.stopped.formUnion(stopped)
            queue.insert([.manifestChanged(stopping: stopped.sorted())])
            return true
        }
        guard stopped.isEmpty else { return false }
        do throws(StoreError) {
            let (stored, _) = try store.restoration()
            guard
                let engine = Engine(
                    change.next.engineConfiguration, continuing: engine, stored: stored)
            else { return false }
            takeOver(change, engine)
        } catch {
            breakDown(error)
            return false
        }
        return true
    }

    private func takeOver(_ change: ManifestChange, _ engine: Engine) {
        let next = change.next
        let old = manifest
        reloading = ManifestReload(hasRefused: reloading.hasRefused)
        manifest = next
        definitions = next.definitions
        self.engine = engine
        supervisor.change(SupervisorLimits(next.policy), app: next.appOfPlugins)
        changeJournal()
        for feature in features { feature.manifestChanged(from: old) }
        queue.insert([.manifestLoaded(added: change.added)])
        loop.afterThisRound { [unowned self] in settleDevice() }
    }

    private func stopped(by change: ManifestChange) -> [Int64] {
        attempts.views.values.map(\.attempt).filter {
            !change.runsAlike($0.request.identifier, declared: $0.declaration)
        }.map(\.id).sorted()
    }
}
