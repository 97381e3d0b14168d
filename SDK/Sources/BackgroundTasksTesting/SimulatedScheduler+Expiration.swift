// SPDX-License-Identifier: Apache-2.0

public import BGRunPluginRuntime
import Foundation

extension SimulatedScheduler {
    /// Revokes the time of the running attempt of an identifier. Returns once it was notified; use
    /// `completion()` to wait for its reaction.
    public func simulateExpiration(
        forTaskWithIdentifier identifier: String, reason: PluginExpiration.Reason = .time
    ) async throws {
        guard let attempt = running, attempt.identifier == identifier else {
            throw SimulationError.notRunning(identifier)
        }
        await expire(attempt, reason)
    }

    /// Advances the clock. An attempt whose time is over by then expires, and an expired one whose
    /// grace period is over is killed. Launches nothing: use `launchDue()`.
    public func advance(by duration: Duration) async {
        clock.advance(by: duration)
        guard let attempt = running else { return }
        let now = clock.now
        if let expiredAt = attempt.state.value.expiredAt {
            guard expiredAt.advanced(by: grace) <= now else { return }
            attempt.state.change { $0.isKilled = true }
        } else if attempt.deadline <= now {
            await expire(attempt, .time)
        }
    }

    /// Changes the device. The running attempt is notified, and expires if one of its requirements
    /// is lost.
    public func changeDevice(_ change: (inout PluginDevice) -> Void) async {
        let hasChanged = state.change { state in
            let before = state.device
            change(&state.device)
            return state.device != before
        }
        guard let attempt = running else { return }
        if hasChanged { await tellOfDevice() }
        let lost = attempt.requirements.filter { !device.meets($0) }
        if let reason = lost.map(\.reasonWhenLost).min(by: { $0.rawValue < $1.rawValue }) {
            await expire(attempt, reason)
        }
    }

    private func tellOfDevice() async {
        let observers = state.value.deviceObservers
        await withCheckedContinuation { told in
            Thread.detachNewThread {
                for observer in observers { observer.call() }
                told.resume()
            }
        }
    }

    private func expire(_ attempt: SimulatedAttempt, _ reason: PluginExpiration.Reason) async {
        let now = clock.now
        let isFirst = attempt.state.change { state in
            guard state.expiredAt == nil else { return false }
            state.expiredAt = now
            return true
        }
        guard isFirst, let handler = state.value.handler else { return }
        await withCheckedContinuation { told in
            Thread.detachNewThread { [grace] in
                handler.expire(attempt, reason, grace)
                told.resume()
            }
        }
    }
}

extension SimulatedTask.Requirement {
    fileprivate var reasonWhenLost: PluginExpiration.Reason {
        switch self {
        case .externalPower: .powerLost
        case .network: .networkLost
        case .unmeteredNetwork: .becameMetered
        case .idle: .userActive
        }
    }
}
