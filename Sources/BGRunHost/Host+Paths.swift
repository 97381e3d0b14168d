// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunLoop
import BGRunManifest

extension Host {
    /// Watches the paths of the manifest's tasks, and no others. One that cannot be watched is said.
    func watchPaths() {
        guard watchesPaths else { return }
        let wanted = Dictionary(
            manifest.tasks.compactMap { task in
                task.watches.map { (task.declaration.identifier, $0) }
            }, uniquingKeysWith: { first, _ in first })
        pathTriggers = pathTriggers.filter { wanted[$0.key] == $0.value.path }
        for (identifier, path) in wanted.sorted(by: { $0.key < $1.key })
        where pathTriggers[identifier] == nil {
            do throws(SystemFailure) {
                pathTriggers[identifier] = try PathTrigger(
                    self, path: path, settle: manifest.policy.changesSettle
                ) { [unowned self] in
                    send(.submit(Submission(identifier: identifier, delay: .zero), ticket: nil))
                }
            } catch {
                say(.error, "Changes of \(path) submit nothing: it cannot be watched: \(error)")
            }
        }
    }

    /// Whether something besides a date may submit a task: then there is something to wait for.
    var waitsForTriggers: Bool {
        !pathTriggers.isEmpty || !socketTriggers.isEmpty || pushSources != nil
            || manifest.tasks.contains { $0.declaration.triggers.contains(.resume) }
    }
}
