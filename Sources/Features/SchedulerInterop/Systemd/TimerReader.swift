// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Reads timers and the services they start.
package struct TimerReader {
    private let home: String?
    private var names: TaskNames
    private var result: PortableApp

    /// Reads all timers among `units`, each with its service, and the services without a timer.
    ///
    /// - Parameter home: The home of the user whose manager runs the units; nil for the system's manager.
    package static func read(
        _ units: [UnitFile], origin: String, app: String, home: String? = nil
    ) -> PortableApp {
        var reader = TimerReader(
            home: home, names: TaskNames(app: app), result: PortableApp(app: app, origin: origin))
        var started: Set<String> = []
        for timer in units where timer.name.hasSuffix(".timer") {
            let name = timer.service
            started.insert(name)
            let service =
                units.first { $0.name == name } ?? units.first { $0.name == name.template }
            if let service { started.insert(service.name) }
            reader.take(timer, service, unit: name)
        }
        for service in units
        where service.name.hasSuffix(".service") && !started.contains(service.name) {
            reader.take(nil, service, unit: service.name)
        }
        return reader.result
    }

    private mutating func take(_ timer: UnitFile?, _ service: UnitFile?, unit: String) {
        let place = SourcePlace(file: (timer ?? service)?.path ?? unit, line: 1)
        guard let service else {
            result.notes.add(
                .lost, place, unit, "the service is not among the files, and nothing is imported",
                "name its file too")
            return
        }
        let name = (timer?.name ?? unit).dropping(ending: ".timer").dropping(ending: ".service")
        guard let reading = ServiceReader.read(service, unit: unit, place, home: home) else {
            result.notes.add(
                .lost, SourcePlace(file: service.path, line: 1), "ExecStart",
                "the service runs no command, and nothing is imported")
            return
        }
        var task = reading.task
        task.identifier = names.identifier(name)
        result.notes += reading.notes
        for described in [timer, service].compactMap(\.self) {
            guard let description = described.last("Unit", "Description")?.value else { continue }
            var unknown: Set<Character> = []
            let specifiers = UnitSpecifiers(
                unit: described.name, user: "root", home: home ?? "/root")
            task.describe(specifiers.expand(description, unknown: &unknown))
            break
        }
        if let timer { takeTimer(timer, &task) }
        if timer == nil {
            result.notes.add(
                .changed, place, unit, "no timer starts it: `submit: manual`",
                "give it `calendar` or `every`")
        }
        result.tasks.append(task)
    }

    private mutating func takeTimer(_ timer: UnitFile, _ task: inout PortableTask) {
        var unknown: Set<Character> = []
        let specifiers = UnitSpecifiers(
            unit: timer.name, user: "root", home: home ?? "/root")
        let dates = timer.all("Timer", "OnCalendar")
            .map { specifiers.expand($0.value, unknown: &unknown) }
        let every = timer.interval("OnUnitActiveSec") ?? timer.interval("OnUnitInactiveSec")
        if !dates.isEmpty {
            task.schedule = .calendar(dates)
            task.catchUp = timer.isTrue("Persistent") ? .one : CatchUp.none
        } else if let every {
            task.schedule = .every(every)
        }
        noteSeveralSchedules(timer, hasDates: !dates.isEmpty)
        takeStart(timer, &task, repeats: every != nil || !dates.isEmpty)
        if let delay = timer.interval("RandomizedDelaySec"), delay > .zero { task.jitter = delay }
        for setting in timer.settings where !setting.value.isEmpty {
            noteTimerSetting(setting)
            if setting.section == "Unit" {
                UnitConditions.take(setting, &task.requires, &result.notes)
            }
        }
    }

    /// `OnBootSec` and similar settings: a launch this long after the start of the host.
    private mutating func takeStart(_ timer: UnitFile, _ task: inout PortableTask, repeats: Bool) {
        for key in ["OnActiveSec", "OnStartupSec", "OnBootSec"] {
            guard let setting = timer.last("Timer", key) else { continue }
            let delay = TimeSpan.interval(setting.value) ?? .zero
            if case .every = task.schedule {
                if delay > .zero { task.earliest = delay }
            } else {
                task.triggers.launch = true
                if delay > .zero, task.schedule == .manual {
                    task.earliest = delay
                } else if delay > .zero {
                    result.notes.add(
                        .lost, setting.place, key,
                        "the launch at the start of the host is not put off by \(setting.value)")
                }
            }
            result.notes.add(
                .changed, setting.place, key,
                "counted from the start of the host, not of "
                    + (key == "OnBootSec" ? "the machine" : "the manager or the timer"))
        }
    }

    private mutating func noteSeveralSchedules(_ timer: UnitFile, hasDates: Bool) {
        for key in ["OnUnitActiveSec", "OnUnitInactiveSec"] {
            guard let setting = timer.last("Timer", key) else { continue }
            if hasDates
                || key == "OnUnitInactiveSec" && timer.last("Timer", "OnUnitActiveSec") != nil
            {
                result.notes.add(
                    .lost, setting.place, key, "a task has one schedule, and it has another",
                    "make a second task of it")
            } else if key == "OnUnitInactiveSec" {
                result.notes.add(
                    .changed, setting.place, key,
                    "`every` counts from one launch to the next, not from the end of the run")
            }
        }
    }

    private mutating func noteTimerSetting(_ setting: UnitFile.Setting) {
        guard setting.section == "Timer" else { return }
        let isTrue = UnitFile.truths.contains(setting.value.lowercased())
        switch setting.key {
        case "OnCalendar", "OnUnitActiveSec", "OnUnitInactiveSec", "OnBootSec", "OnStartupSec",
            "OnActiveSec", "Unit", "Persistent", "RandomizedDelaySec":
            break
        case "FixedRandomDelay" where isTrue:
            result.notes.add(
                .changed, setting.place, setting.key, "`jitter` is drawn anew for each launch")
        case "AccuracySec":
            result.notes.add(
                .changed, setting.place, "AccuracySec=\(setting.value)",
                "bgrun launches when it is due, and does not gather launches of other tasks")
        case "WakeSystem" where isTrue:
            result.notes.add(
                .lost, setting.place, setting.key, "bgrun does not wake the machine",
                "`on: {resume: true}` launches it when the machine wakes for another reason")
        case "WakeSystem", "FixedRandomDelay", "RemainAfterElapse": break
        case let key where key.hasPrefix("OnClockChange") || key.hasPrefix("OnTimezoneChange"):
            result.notes.add(
                .lost, setting.place, key, "a change of the clock or zone starts nothing")
        case let key:
            result.notes.add(.lost, setting.place, key, "bgrun has no such setting")
        }
    }
}

extension UnitFile {
    static let truths: Set<String> = ["1", "yes", "y", "true", "t", "on"]

    /// The unit that a timer starts.
    package var service: String {
        last("Timer", "Unit")?.value ?? name.dropping(ending: ".timer") + ".service"
    }

    func interval(_ key: String) -> Interval? {
        last("Timer", key).flatMap { TimeSpan.interval($0.value) }
    }

    func isTrue(_ key: String) -> Bool {
        last("Timer", key).map { Self.truths.contains($0.value.lowercased()) } ?? false
    }
}

extension String {
    /// `backup@.service` of `backup@home.service`; itself if it is not an instance.
    package var template: String {
        guard let at = firstIndex(of: "@"), let dot = lastIndex(of: "."), at < dot else {
            return self
        }
        return String(self[...at]) + self[dot...]
    }
}
