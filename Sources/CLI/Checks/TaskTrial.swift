// SPDX-License-Identifier: Apache-2.0

import BGRunConformance
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunSupervisor

/// Runs tasks of a manifest in separate workers, without a store.
struct TaskTrial {
    let manifest: Manifest
    let limit: Interval
    let grace: Interval

    func exercise(
        _ task: TaskDefinition, rounds: Int, prepare: @escaping () throws -> Void,
        using random: inout some RandomNumberGenerator
    ) throws -> Exercise.Report {
        guard case .handler(let plugin, let handler) = task.action else {
            throw Exercise.Problem(message: "it is a call of C functions, which cannot be told")
        }
        let installation = Installation()
        let images = PluginImages(installation: installation)
        let worker = try installation.requiredWorker()
        let image: PluginImage
        switch images.image(manifest, plugin) {
        case .success(let found): image = found
        case .failure(let refusal): throw Exercise.Problem(message: refusal.message)
        }
        let rule = IdentifierRule(permitting: manifest.permittedIdentifiers)
        let options = TrialOptions(
            limit: limit, grace: grace, tasks: nil, permits: { rule.permits($0) },
            directory: manifest.directory)
        let trial = TrialTask(task, handler: handler, directory: manifest.directory)
        return try Interruption.killing {
            try TemporaryDirectory.withAppHome { home in
                let site = TrialSite(
                    executable: worker, image: image, home: home, app: manifest.appOfPlugins,
                    watch: Interruption.watch)
                return try Exercise(site, options, task: trial, rounds: rounds, prepare: prepare)
                    .run(using: &random)
            }
        }
    }
}

extension TrialTask {
    /// A task as its manifest declares it.
    init(_ task: TaskDefinition, handler: String, directory: String) {
        self.init(
            handler: handler, identifier: Self.identifier(task.declaration.identifier),
            kind: task.declaration.kind, parameters: task.parameters, directory: directory,
            environment: task.environment, isReal: true)
    }

    /// Replaces a wildcard by one identifier.
    static func identifier(_ declared: String) -> String {
        declared.hasSuffix("*") ? declared.dropLast() + "check" : declared
    }
}
