// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation

extension BGTaskScheduler {
    /// Submits a request; it replaces a pending one of the same identifier. Returns once it is stored or
    /// refused; the host's log contains the reason. May be called from the launch of the plugin on, even
    /// while no task runs.
    /// - Throws: `BGTaskScheduler.Error`.
    public func submit(_ taskRequest: BGTaskRequest) throws {
        try submit(taskRequest.pluginRequest(now: Date()))
    }

    /// `submit(_:)` without blocking; the handler is called on an unspecified queue, with nil or the
    /// error.
    @preconcurrency
    public func submitTaskRequest(
        _ taskRequest: BGTaskRequest,
        completionHandler: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) {
        let request = taskRequest.pluginRequest(now: Date())
        runtime.onBackgroundQueue { [self] in
            do {
                try submit(request)
                completionHandler(nil)
            } catch {
                completionHandler(error)
            }
        }
    }

    /// `submit(_:)` that does not block.
    public func submitTaskRequest(_ taskRequest: BGTaskRequest) async throws {
        let request = taskRequest.pluginRequest(now: Date())
        try await withCheckedThrowingContinuation { continuation in
            runtime.onBackgroundQueue { [self] in
                continuation.resume(with: Result { try submit(request) })
            }
        }
    }

    /// Cancels the pending request of an identifier. A task that is running continues.
    public func cancel(taskRequestWithIdentifier identifier: String) {
        do {
            try runtime.cancel(identifier)
        } catch {
            runtime.log(.warning, error.description)
        }
    }

    /// Cancels all pending requests.
    public func cancelAllTaskRequests() {
        for request in pending() { cancel(taskRequestWithIdentifier: request.identifier) }
    }

    /// Cancels all pending requests with the tag, their own or that of their task. Not in Apple's
    /// framework (Android: `cancelAllWorkByTag`).
    public func cancelTaskRequests(withTag tag: String) {
        for request in pending() where request.tags.contains(tag) {
            cancel(taskRequestWithIdentifier: request.identifier)
        }
    }

    /// Calls the handler, on an unspecified queue, with copies of the pending requests.
    @preconcurrency
    public func getPendingTaskRequests(
        completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void
    ) {
        let visit = runtime.holdVisit()
        runtime.onBackgroundQueue { [self] in
            completionHandler(pending().map(\.taskRequest))
            visit?.releaseAfterCaller()
        }
    }

    /// Copies of the pending requests. The call begins on the actor of its caller: an attempt in which
    /// the app enters the background is then held before that actor continues.
    public nonisolated(nonsending) func pendingTaskRequests() async -> [BGTaskRequest] {
        let visit = runtime.holdVisit()
        let requests = await withCheckedContinuation { continuation in
            runtime.onBackgroundQueue { [self] in continuation.resume(returning: pending()) }
        }
        visit?.releaseAfterCaller()
        return requests.map(\.taskRequest)
    }

    private func submit(_ request: PluginRequest) throws {
        if request.requirements.contains(.gpu), !Self.supportedResources.contains(.gpu) {
            throw Error(
                .notPermitted,
                "\(request.identifier) requires a graphics processor, and this machine has none; "
                    + "look at BGTaskScheduler.supportedResources first")
        }
        do {
            try runtime.submit(request)
        } catch {
            throw Error(error)
        }
    }

    private func pending() -> [PendingPluginRequest] {
        do {
            return try runtime.pending()
        } catch {
            runtime.log(.warning, error.description)
            return []
        }
    }
}

extension PluginRuntime {
    fileprivate func onBackgroundQueue(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue.global(qos: .utility).async { self.withCurrent(body) }
    }

    /// The attempt in which the app has entered the background, held: as on iOS, an app that requests
    /// its pending requests there receives the answer. nil in other attempts, which end when the app
    /// reports that.
    fileprivate func holdVisit() -> PluginTask? {
        guard let task = currentTask, task.isVisit else { return nil }
        task.hold()
        return task
    }
}

extension PluginTask {
    /// Releases the attempt when the code after the current call has run up to its next suspension;
    /// that code is queued on the main queue between the two blocks.
    fileprivate func releaseAfterCaller() {
        DispatchQueue.main.async {
            DispatchQueue.global(qos: .background).async {
                DispatchQueue.main.async { self.release() }
            }
        }
    }
}

extension PendingPluginRequest {
    /// A copy of the submitted request.
    fileprivate var taskRequest: BGTaskRequest {
        let request = classRequest
        request.adopt(self)
        return request
    }

    private var classRequest: BGTaskRequest {
        let details = RequestDetails(parametersJSON ?? "{}")
        switch kind {
        case .appRefresh:
            return BGAppRefreshTaskRequest(identifier: identifier)
        case .processing:
            let request: BGProcessingTaskRequest
            if let protection = details.protection {
                let study = BGHealthResearchTaskRequest(identifier: identifier)
                study.protectionTypeOfRequiredData = protection
                request = study
            } else {
                request = BGProcessingTaskRequest(identifier: identifier)
            }
            request.requiresNetworkConnectivity = requirements.contains(.network)
            request.requiresExternalPower = requirements.contains(.externalPower)
            request.requiresDeviceIdle = requirements.contains(.idle)
            return request
        case .continued:
            let request = BGContinuedProcessingTaskRequest(
                identifier: identifier, title: details.title ?? "",
                subtitle: details.subtitle ?? "")
            request.strategy = isOnlyImmediate ? .fail : .queue
            request.requiredResources = requirements.contains(.gpu) ? .gpu : []
            return request
        case .push, .transfer:
            return BGTaskRequest(abstractWith: identifier)
        }
    }
}
