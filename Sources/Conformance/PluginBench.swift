// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor

/// A plugin under trial, and its results so far.
final class PluginBench {
    let site: TrialSite
    let options: TrialOptions
    private lazy var firstLoading = Result { try self.load(.thisHost) }

    init(_ site: TrialSite, _ options: TrialOptions) {
        self.site = site
        self.options = options
    }

    /// The result of loading it on this host, and its refused calls meanwhile.
    var loading: (PluginProbe.Finding, [AttemptRecord.Remark]) {
        get throws { try firstLoading.get() }
    }

    /// Loads it in a new worker of another host.
    func load(
        _ host: HostMessage.Trial
    ) throws -> (PluginProbe.Finding, [AttemptRecord.Remark]) {
        let worker = try site.worker(host)
        let loading = worker.load(within: options.limit.nanoseconds)
        worker.end()
        return (loading, worker.loadRemarks)
    }

    /// The handlers to try; empty if the plugin does not load.
    func handlers() throws -> [HandlerBench] {
        guard case .loaded(let loaded) = try loading.0 else { return [] }
        let tasks =
            options.tasks
            ?? loaded.handlers.map { name in
                TrialTask(
                    handler: name, identifier: "org.bgrun.check.\(name)", kind: .processing,
                    parameters: "{}", directory: options.directory, environment: [:],
                    isReal: false)
            }
        return tasks.map { HandlerBench(self, $0, loaded) }
    }
}
