// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// The features of a task, so that an export can note those that a target does not support.
enum TaskFeature: Equatable {
    case launch, resume, path, socket, otherTrigger, zone, earliest, flex, jitter, startDeadline,
        catchUp
    case overlap, power, network, otherCondition, timeLimit, grace, retry
    case input, successCodes, expireSignal, user, otherKey
}

extension PortableTask {
    /// Whether the host submits it when it starts.
    var startsAtLaunch: Bool { triggers.launch || isSubmittedAtLaunch }

    /// The words of the manifest for how it starts without a schedule.
    var startWord: String {
        if triggers.launch { return "on: launch" }
        if isSubmittedAtLaunch { return "submit: launch" }
        return triggers.isEmpty ? "submit: manual" : "on"
    }

    /// The keys of this task with a length of time, in the manifest's words.
    var lengths: [(TaskFeature, String)] {
        let all: [(TaskFeature, String, Interval?)] = [
            (.earliest, "earliest", earliest), (.flex, "flex", flex), (.jitter, "jitter", jitter),
            (.startDeadline, "start_deadline", startDeadline),
        ]
        return all.compactMap { feature, key, length in
            length.map { (feature, "\(key): \(Quantity.text($0))") }
        }
    }

    /// All features of this task, each in the manifest's words.
    var features: [(feature: TaskFeature, word: String)] {
        var all: [(TaskFeature, String)] = []
        if startsAtLaunch { all.append((.launch, startWord)) }
        if triggers.resume { all.append((.resume, "on: resume")) }
        if let path = triggers.path { all.append((.path, "on: path \(path)")) }
        if let socket = triggers.socket { all.append((.socket, "on: socket \(socket.address)")) }
        all += triggers.others.map { (.otherTrigger, "on: \($0)") }
        if let zone { all.append((.zone, "zone: \(zone)")) }
        all += lengths
        if let catchUp, schedule != .manual { all.append((.catchUp, "catch_up: \(catchUp)")) }
        if let overlap { all.append((.overlap, "overlap: \(overlap.rawValue)")) }
        for one in requires {
            let isPower = one.key == "power" && one.value == "external"
            let isNetwork = one.key == "network" && one.value == "any"
            all.append(
                (
                    isPower ? .power : isNetwork ? .network : .otherCondition,
                    "requires: \(one.key): \(one.value)"
                ))
        }
        if let timeLimit {
            all.append((.timeLimit, "expiration: after: \(Quantity.text(timeLimit))"))
        }
        if let grace { all.append((.grace, "expiration: grace: \(Quantity.text(grace))")) }
        if retry != nil { all.append((.retry, "retry")) }
        if command.input != nil { all.append((.input, "input")) }
        if command.successCodes != nil { all.append((.successCodes, "success_codes")) }
        if let signal = command.expireSignal {
            all.append((.expireSignal, "expire_signal: \(signal)"))
        }
        if let user { all.append((.user, "user: \(user)")) }
        all += otherKeys.map { (.otherKey, $0) }
        return all
    }
}

extension Exported {
    /// Notes that a boot of the machine, instead of each start of a host, launches a task.
    mutating func noteBoot(_ task: PortableTask) {
        guard task.startsAtLaunch else { return }
        note(
            .changed, task, task.startWord,
            "bgrun submits it at each start of the host, here it runs at each boot of the machine")
    }

    /// Notes all features of a task that `target` does not support.
    mutating func noteLost(_ task: PortableTask, _ target: String, has known: Set<TaskFeature>) {
        for (feature, word) in task.features where !known.contains(feature) {
            // Cron and the clusters also ignore missed dates.
            if feature == .catchUp, task.catchUp == CatchUp.none { continue }
            note(.lost, task, word, "\(target) has no such thing, and it is left out")
        }
        if case .bgrun(let handler) = task.command.action {
            note(
                .changed, task, handler,
                "only bgrun runs it: the command submits it and runs what is eligible",
                "write `submit: manual` for tasks that are not to run with it")
        }
    }
}
