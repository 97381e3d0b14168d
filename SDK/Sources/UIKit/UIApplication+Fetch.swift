// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation

extension UIApplication {
    /// As often as possible.
    public nonisolated static let backgroundFetchIntervalMinimum: TimeInterval = 0
    /// Never.
    public nonisolated static let backgroundFetchIntervalNever: TimeInterval =
        .greatestFiniteMagnitude

    /// The minimum time, in seconds, between two fetches: `performFetch...` of the delegate is
    /// called for tasks of kind `app-refresh` without a launch handler, and each fetch requests the
    /// next. Call it in `didFinishLaunchingWithOptions`.
    public func setMinimumBackgroundFetchInterval(_ minimumBackgroundFetchInterval: TimeInterval) {
        let seconds = minimumBackgroundFetchInterval
        fetchInterval =
            seconds.isNaN || seconds >= Self.backgroundFetchIntervalNever ? nil : max(0, seconds)
    }

    /// Directs fetches to the delegate if the app requests them.
    func registerForFetches() {
        guard fetchInterval != nil else { return }
        let handler = PluginHandler { task in
            let work = CallbackWork()
            Task { @MainActor in
                self.work = work
                self.fetch(task)
                task.handlerReturned.send()
            }
            return { _ in work.cancel() }
        }
        if case .alreadyRegistered = runtime.register(.appRefresh, handler) {
            report("Fetches have a handler already: launch one app delegate only.")
        }
    }

    private func fetch(_ task: PluginTask) {
        guard let delegate else { return }
        requestNextFetch(task.identifier)
        delegate.application(self) { result in task.complete(result.reported) }
    }

    private func requestNextFetch(_ identifier: String) {
        guard let fetchInterval else { return }
        let request = PluginRequest(
            identifier: identifier, delay: .seconds(min(fetchInterval, 1e9)))
        do {
            try runtime.submit(request)
        } catch {
            runtime.log(.warning, error.description)
        }
    }
}
