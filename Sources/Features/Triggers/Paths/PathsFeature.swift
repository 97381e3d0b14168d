// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunManifest
import BGRunPolicy

/// Watches the paths of the manifest's tasks, and no others.
final class PathsFeature: HostFeature {
    private unowned let host: Host
    /// By identifier of the task.
    private var triggers: [String: PathTrigger] = [:]

    init(_ host: Host) { self.host = host }

    func start() { watch() }

    func manifestChanged(from old: Manifest) { watch() }

    /// Logs a path that cannot be watched.
    private func watch() {
        let manifest = host.manifest
        let wanted = Dictionary(
            manifest.tasks.compactMap { task in
                task.watches.map { (task.declaration.identifier, $0) }
            }, uniquingKeysWith: { first, _ in first })
        triggers = triggers.filter { wanted[$0.key] == $0.value.path }
        for (identifier, path) in wanted.sorted(by: { $0.key < $1.key })
        where triggers[identifier] == nil {
            do throws(SystemFailure) {
                triggers[identifier] = try PathTrigger(
                    host.loop, host.clock, path: path, settle: manifest.policy.changesSettle
                ) { [unowned self] in
                    host.send(
                        .submit(Submission(identifier: identifier, delay: .zero), ticket: nil))
                }
            } catch {
                host.say(
                    .error, "Changes of \(path) submit nothing: it cannot be watched: \(error)")
            }
        }
    }

    var isBusy: Bool { !triggers.isEmpty }
}
