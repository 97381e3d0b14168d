// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import CBGRunPlugin
import Foundation

extension SimulatedScheduler {
    /// Launches the app: `register` registers its handlers, as its main does. Call it once, before
    /// any other launch. The app is open from then on: requests can be submitted at any moment.
    public func launchApp(_ register: () -> Void) {
        attach(register)
    }

    /// Launches the task of a pending request, regardless of its conditions, and returns once its
    /// launch handler has returned.
    ///
    /// - Parameter waitsForHandler: false returns at once, for a launch handler that does the work
    ///   itself.
    /// - Throws: `SimulationError` if there is no such request, or an attempt is still running.
    @discardableResult
    public func simulateLaunch(
        forTaskWithIdentifier identifier: String, waitsForHandler: Bool = true
    ) async throws -> SimulatedAttempt {
        guard state.value.handler != nil else { throw SimulationError.notLaunched }
        guard let request = state.value.pending[identifier] else {
            throw SimulationError.notScheduled(identifier)
        }
        return try await launch(request, waitsForHandler: waitsForHandler)
    }

    /// Launches the request that is due on the clock and whose requirements are met, the earliest
    /// first; nil without one.
    public func launchDue() async throws -> SimulatedAttempt? {
        let now = clock.now
        let due = pendingRequests.filter { request in
            request.earliest <= now && request.requirements.allSatisfy(device.meets)
        }
        guard let next = due.min(by: { $0.earliest < $1.earliest }) else { return nil }
        return try await launch(next)
    }

    private func launch(
        _ request: SimulatedRequest, waitsForHandler: Bool = true
    ) async throws -> SimulatedAttempt {
        guard let handler = state.value.handler else { throw SimulationError.notLaunched }
        if let running = running { throw SimulationError.busy(running.identifier) }
        guard let task = task(for: request.identifier) else {
            throw SimulationError.notScheduled(request.identifier)
        }
        let attempt = state.change { state in
            state.pending.removeValue(forKey: request.identifier)
            let before = state.attempts.count { $0.identifier == request.identifier }
            let attempt = SimulatedAttempt(
                request, of: task, number: before + 1, under: self)
            state.attempts.append(attempt)
            return attempt
        }
        Thread.detachNewThread {
            handler.launch(attempt)
            attempt.state.change { $0.isLaunchOver = true }
        }
        guard waitsForHandler else { return attempt }
        try await attempt.state.wait {
            $0.isHandlerReady || $0.completion != nil || $0.isLaunchOver
        }
        return attempt
    }

    /// The attempt that is not over.
    var running: SimulatedAttempt? { state.value.attempts.last { !$0.isOver } }
}

extension PluginDevice {
    /// Whether the device meets a requirement; an unknown reading does not.
    func meets(_ requirement: SimulatedTask.Requirement) -> Bool {
        switch requirement {
        case .externalPower: hasExternalPower == true
        case .network: hasNetwork == true
        case .unmeteredNetwork: hasNetwork == true && isNetworkMetered == false
        case .idle: isUserIdle == true
        }
    }
}
