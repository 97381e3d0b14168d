// SPDX-License-Identifier: Apache-2.0

import BGRunConformance
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor
import BGRunSystem

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
                do {
                    var report = try Exercise(
                        site, options, task: trial, rounds: rounds, prepare: prepare
                    ).run(using: &random)
                    report.notes += manifest.notes(onTrialOf: task)
                    return report
                } catch var problem as Exercise.Problem {
                    problem.message += manifest.notes(onTrialOf: task).map { "; \($0)" }.joined()
                    throw problem
                }
            }
        }
    }
}

extension Manifest {
    /// What distinguishes a trial of this task from its attempts, for the author.
    fileprivate func notes(onTrialOf task: TaskDefinition) -> [String] {
        [task.noteOfSecrets, isConfined(task) ? "it was run without its confinement" : nil]
            .compactMap(\.self)
    }
}

extension TaskDefinition {
    /// For trials, which must not act with real credentials; nil without secrets.
    fileprivate var noteOfSecrets: String? {
        guard !secrets.isEmpty else { return nil }
        return "it was run without its secrets: \(secrets.map(\.name).joined(separator: ", "))"
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

/// The tasks of a manifest that a plugin handles.
struct TrialTasks {
    let tasks: [TrialTask]
    let app: HostMessage.App
    let permits: @Sendable (String) -> Bool
    /// Notes for the author.
    let notes: [String]

    /// Reports problems and ends the command.
    /// - Parameter only: The identifiers to try; empty: all.
    init(manifest path: String, plugin file: String, only: [String]) throws {
        let manifest = try Manifest.read(path)
        let images = PluginImages(installation: Installation())
        let names = manifest.plugins.map(\.name).filter { name in
            guard case .success(let image) = images.image(manifest, name) else { return false }
            return DaemonPlaces.isSameFile(image.path, file)
        }
        var notes: [String] = []
        let found = manifest.tasks.compactMap { task -> TrialTask? in
            guard case .handler(let plugin, let handler) = task.action, names.contains(plugin),
                only.isEmpty || only.contains(task.declaration.identifier)
            else { return nil }
            notes += manifest.notes(onTrialOf: task).map {
                "\(task.declaration.identifier): \($0)"
            }
            return TrialTask(task, handler: handler, directory: manifest.directory)
        }
        self.notes = notes
        let known = Set(found.map(\.identifier))
        if found.isEmpty || !only.allSatisfy({ known.contains(TrialTask.identifier($0)) }) {
            throw Exit.badData.reporting(
                "\(path) has no such task whose handler is in \(file); "
                    + "name the file under plugins: and give --task as in tasks:")
        }
        tasks = found
        app = manifest.appOfPlugins
        let rule = IdentifierRule(permitting: manifest.permittedIdentifiers)
        permits = { rule.permits($0) }
    }
}
