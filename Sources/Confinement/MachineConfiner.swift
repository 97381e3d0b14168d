// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunSupervisor
import BGRunSystem
import Glibc

/// Confines the workers of an app with the layers of this machine. Belongs to the loop's thread.
package final class MachineConfiner: WorkerConfiner {
    private let site: () -> ConfinementSite
    /// Reports, once for each text, what a confinement lacks here.
    private let report: (String) -> Void
    /// Nil: not tried yet.
    private var known: MachineLayers?
    private var filters: [SyscallFilter.Rules: [UInt8]] = [:]
    private var reported: Set<String> = []

    /// - Parameter site: The site of the present manifest.
    package init(_ site: @escaping () -> ConfinementSite, report: @escaping (String) -> Void) {
        self.site = site
        self.report = report
    }

    package func plan(
        _ confinement: Confinement, plugin: PluginImage?
    ) -> Result<WorkerPlan, PluginRefusal> {
        let site = site()
        guard access(site.initExecutable, X_OK) == 0 else {
            return .failure(
                PluginRefusal(
                    message: "\(site.initExecutable) cannot be executed: install bgrun as a whole"))
        }
        let layers: MachineLayers
        do throws(SystemFailure) {
            if let known { layers = known } else { layers = try site.triedLayers() }
            known = layers
        } catch {
            return .failure(
                PluginRefusal(message: "\(error)", shortage: Resource(code: error.code)))
        }
        let lacks = layers.lacks(confinement)
        if !lacks.isEmpty {
            let list = lacks.joined(separator: ", ")
            guard confinement.enforcement == .prefer else {
                return .failure(
                    PluginRefusal(
                        message: "`confine` requires what this machine lacks: \(list); write "
                            + "`enforce: prefer` to run without it"))
            }
            if reported.insert(list).inserted { report("Handlers are confined without \(list)") }
        }
        makeData(site)
        do {
            let view = FileView(confinement, plugin: plugin?.path, site)
            let compiler = PlanCompiler(
                confinement: confinement, view: view, site: site, layers: layers,
                filter: try filter(confinement, layers), isPinned: plugin?.isPinned == true)
            guard let plan = compiler.plan() else {
                return .failure(
                    PluginRefusal(message: "`confine` names too many paths for one worker"))
            }
            return .success(
                WorkerPlan(
                    bytes: plan.bytes, environment: variables(confinement, site, layers),
                    mounts: plan.mounts,
                    paths: plan.paths, temporary: plan.temporary))
        } catch {
            return .failure(PluginRefusal(message: "\(error)"))
        }
    }

    /// What does not exist cannot be shown.
    private func makeData(_ site: ConfinementSite) {
        for directory in site.data { _ = mkdir(directory, 0o700) }
        if let home = site.data.first { _ = mkdir(home + "/tmp", 0o700) }
    }

    private func filter(
        _ confinement: Confinement, _ layers: MachineLayers
    ) throws -> [UInt8] {
        guard layers.hasSeccomp else { return [] }
        let rules = SyscallFilter.Rules(
            internet: !confinement.isOffline, udp: confinement.network.udp,
            protectsOthers: !layers.hasNamespaces)
        if let known = filters[rules] { return known }
        let program = try SyscallFilter(rules).program()
        filters[rules] = program
        return program
    }

    /// The variables of a worker: those that say where programs and languages are, and those that the manifest keeps.
    private func variables(
        _ confinement: Confinement, _ site: ConfinementSite, _ layers: MachineLayers
    ) -> [String: String] {
        let kept = site.variables.filter { name, _ in
            ["PATH", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME", "SHELL"].contains(name)
                || name.hasPrefix("LC_") || confinement.keptVariables.contains(name)
        }
        let temporary =
            layers.hasNamespaces ? "/tmp" : site.data.first.map { $0 + "/tmp" } ?? "/tmp"
        return kept.merging(["HOME": temporary, "TMPDIR": temporary]) { kept, _ in kept }
    }
}
