// SPDX-License-Identifier: Apache-2.0

import BGRunConformance
import BGRunInspection
import BGRunPolicy
import BGRunSupervisor
import FoundationEssentials
import Glibc

/// Checks a plugin's file, then tries the plugin.
struct PluginCheck {
    var file: String
    var sha256: String?
    /// The cases to judge; empty: all.
    var only: Set<String>
    var limit: Interval
    var grace: Interval

    /// Blocks. Calls `found` after each case.
    func run(
        _ tasks: TrialTasks?, found: @escaping (CheckReport.Result) -> Void
    ) throws -> CheckReport {
        var report = CheckReport(file: file)
        func add(_ result: CheckReport.Result) {
            // Even an unselected case decides whether bgrun would load the plugin.
            let isOfLoading = result.id.hasPrefix("file.") || result.id == "load.loads"
            if isOfLoading, result.verdict == .failed { report.isAccepted = false }
            guard only.isEmpty || only.contains(result.id) else { return }
            report.results.append(result)
            found(result)
        }
        let refusal = checkFile(add)
        guard refusal == nil, let path = realpath(file, nil) else { return report }
        defer { free(path) }
        let installation = Installation()
        let worker = try installation.requiredWorker()
        try Interruption.killing {
            // An empty directory for handlers that run without parameters.
            let directory = try TemporaryDirectory.makeResolved("bgrun-check")
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let options = TrialOptions(
                limit: limit, grace: grace, tasks: tasks?.tasks, permits: tasks?.permits,
                directory: directory)
            try TemporaryDirectory.withAppHome { home in
                let site = TrialSite(
                    executable: worker,
                    image: PluginImage(displayPath: file, path: String(cString: path)), home: home,
                    app: tasks?.app ?? .permittingAll(of: "plugin.check", in: directory),
                    watch: Interruption.watch)
                try Conformance(site, options).run(only: only) {
                    add(CheckReport.Result($0, handler: $1, $2))
                }
            }
        }
        return report
    }

    /// Makes the checks in order, up to the first that fails.
    private func checkFile(_ add: (CheckReport.Result) -> Void) -> PluginFileRefusal? {
        var refusal: PluginFileRefusal?
        do throws(PluginFileRefusal) {
            _ = try PluginFile.open(path: file, sha256: sha256)
        } catch {
            refusal = error
        }
        var isReached = true
        for check in PluginFileRefusal.Check.allCases where check != .sha256 || sha256 != nil {
            let item = CheckCase(
                id: check.caseID, sentence: check.sentence,
                remedy: refusal?.check == check ? refusal?.remedy ?? "" : check.remedy)
            if check == refusal?.check {
                add(.init(item, .failed, refusal?.reason))
                isReached = false
            } else if isReached {
                add(.init(item, .passed))
            } else {
                add(.init(item, .skipped, "the check before it failed"))
            }
        }
        return refusal
    }
}
