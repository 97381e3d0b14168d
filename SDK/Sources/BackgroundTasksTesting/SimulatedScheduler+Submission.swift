// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import CBGRunPlugin
import Foundation

/// The rules of submission, in bgrun's order.
extension SimulatedScheduler {
    /// The manifest's task of an identifier: its own entry, else that of the longest pattern.
    func task(for identifier: String) -> SimulatedTask? {
        if let task = tasks[identifier] { return task }
        return tasks.keys
            .filter { $0.hasSuffix(".*") && identifier.hasPrefix($0.dropLast()) }
            .max { $0.utf8.count < $1.utf8.count }
            .flatMap { tasks[$0] }
    }

    /// Accepts a request or returns the reason for the refusal, as a `BGRUN_...` status. It
    /// replaces a pending one.
    func submit(
        _ identifier: String, delay: Duration, parameters: String?,
        requires: Set<SimulatedTask.Requirement> = [], requiresGPU: Bool = false,
        kind: PluginTask.Kind? = nil, isOnlyImmediate: Bool = false, tags: String = ""
    ) -> Int32 {
        guard let task = task(for: identifier) else { return BGRUN_E_NOT_PERMITTED }
        if let kind, !task.kind.accepts(requestsOf: kind) {
            log(
                "The app's request for \(identifier) was refused: it is of kind \(kind), and the "
                    + "task is of kind \(task.kind); submit a request of that class")
            return BGRUN_E_NOT_PERMITTED
        }
        if task.kind.goesByRefreshSwitch, let refresh = device.backgroundRefresh,
            refresh != .available
        {
            log(
                "The app's request for \(identifier) was refused: background refresh is \(refresh)")
            return BGRUN_E_UNAVAILABLE
        }
        if isOnlyImmediate, task.kind == .continued, let running {
            log(
                "The app's request for \(identifier) was refused: \(running.identifier) is running, "
                    + "and its strategy is fail")
            return BGRUN_E_NOT_IMMEDIATELY
        }
        if let mode = task.kind.mode, !modes.contains(mode) { return BGRUN_E_NOT_PERMITTED }
        let submitted = SimulatedRequest.Submitted(
            parameters: parameters,
            requires: requires.reduce(requiresGPU ? UInt32(BGRUN_REQUIRES_GPU) : 0) {
                $0 | UInt32(bitPattern: $1.bits)
            }, isOnlyImmediate: isOnlyImmediate, tags: tags)
        guard submitted.hasValidTags,
            let parameters = JSONObject.merge(task.parameters, parameters)
        else {
            return BGRUN_E_INVALID
        }
        let earliest = clock.now.advanced(by: delay)
        let request = SimulatedRequest(
            identifier: identifier, kind: task.kind,
            earliestBeginDate: delay == .zero ? nil : clock.date + delay.timeInterval,
            parameters: parameters, requirements: task.requirements.union(requires),
            submitted: submitted, earliest: earliest)
        return state.change { state in
            let others = state.pending.values.count {
                $0.kind == task.kind && $0.identifier != identifier
            }
            guard others < task.kind.pendingLimit else { return BGRUN_E_TOO_MANY_PENDING }
            state.pending[identifier] = request
            return BGRUN_OK
        }
    }

    private func log(_ message: String) {
        state.change { $0.log.append(LogLine(level: .warning, message: message)) }
    }

    func cancel(_ identifier: String) -> Int32 {
        state.change { $0.pending.removeValue(forKey: identifier) } == nil
            ? BGRUN_E_NOT_FOUND : BGRUN_OK
    }
}

enum JSONObject {
    /// The keys of `under` overridden by those of `over`; nil unless both are JSON objects.
    static func merge(_ under: String, _ over: String?) -> String? {
        guard let over else { return under }
        guard let below = read(under), let above = read(over),
            let merged = try? JSONSerialization.data(
                withJSONObject: below.merging(above) { $1 }, options: [.sortedKeys])
        else { return nil }
        return String(decoding: merged, as: UTF8.self)
    }

    private static func read(_ text: String) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
    }
}
