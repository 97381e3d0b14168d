// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSchedulerInterop

extension FuzzTarget {
    /// A crontab of a user, and the same lines as a system crontab.
    static let crontab = FuzzTarget(
        "crontab",
        seeds: [
            SeedFiles("Tests/BGRunSchedulerInteropTests/Cases/crontab", "odd", "server"),
            SeedFiles("Tests/BGRunSchedulerInteropTests/Cases/cron.d", "debian", "packages"),
            SeedFiles("Examples/crontab/crontab"),
        ]
    ) { bytes in
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        _ = ExchangeFormat.detect(path: "-", text: text)
        for namesUsers in [false, true] {
            let app = CrontabReader.read(
                text, file: "crontab", app: "local.crontab", namesUsers: namesUsers,
                home: "/home/ada")
            try check(app, of: bytes)
        }
    }

    /// An anacrontab.
    static let anacrontab = FuzzTarget(
        "anacrontab",
        seeds: [SeedFiles("Tests/BGRunSchedulerInteropTests/Cases/anacrontab", "debian")]
    ) { bytes in
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        let app = AnacrontabReader.read(text, file: "anacrontab", app: "local.anacron")
        try check(app, of: bytes)
    }

    /// Checks an imported app: its manifest must declare the same tasks.
    static func check(_ app: PortableApp, of bytes: [UInt8]) throws {
        let lines = bytes.count + 1
        for note in app.notes {
            let line = note.place.line ?? 1
            try hold((1...lines).contains(line), "a note on line \(line)")
        }
        for one in app.byUser() where !one.tasks.isEmpty {
            let yaml = one.yaml
            let again: PortableApp
            do {
                again = try PortableApp(manifest: Array(yaml.utf8), path: "app.yaml")
            } catch {
                throw Violation("the manifest is not YAML: \(error)\n\(yaml)")
            }
            try hold(again.app == one.app, "the app is \(again.app)")
            try hold(again.tasks.count == one.tasks.count, "\(again.tasks.count) tasks\n\(yaml)")
            for (task, read) in zip(one.tasks, again.tasks) {
                try hold(read.identifier == task.identifier, "\(read.identifier)\n\(yaml)")
                try hold(read.command == task.command, "\(task.command)\n\(read.command)\n\(yaml)")
                try hold(isSame(read.schedule, task.schedule), "\(task.schedule)\n\(yaml)")
                try hold(read.zone == task.zone, "\(task.zone ?? "")\n\(yaml)")
                try hold(read.triggers == task.triggers, "\(task.triggers)\n\(yaml)")
            }
        }
    }

    /// A manifest stores whole milliseconds.
    private static func isSame(_ read: PortableSchedule, _ written: PortableSchedule) -> Bool {
        if case .every(let read) = read, case .every(let written) = written {
            return read.nanoseconds / 1_000_000 == written.nanoseconds / 1_000_000
        }
        return read == written
    }
}
