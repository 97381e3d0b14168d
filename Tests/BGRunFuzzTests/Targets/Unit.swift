// SPDX-License-Identifier: Apache-2.0

import BGRunSchedulerInterop

extension FuzzTarget {
    /// A timer and its service, separated by a line of three hyphens.
    static let unit = FuzzTarget(
        "unit",
        made: {
            ["logrotate", "man-db", "apt-daily", "e2scrub_all", "fstrim", "systemd-tmpfiles-clean"]
                .map { name in
                    let path = "Tests/BGRunSchedulerInteropTests/Cases/systemd/\(name)"
                    return contents("\(path).timer") + Array("---\n".utf8)
                        + contents("\(path).service")
                }
        }
    ) { bytes in
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        let parts = text.split(separator: "---\n", maxSplits: 1).map(String.init)
        for (timer, service) in [("a.timer", "a.service"), ("a@b.timer", "a@.service")] {
            let units = zip([timer, service], parts).map { name, text in
                UnitFile(name: name, path: name, text: text)
            }
            for home in [nil, "/home/ada"] {
                let app = TimerReader.read(units, origin: "a", app: "local.timers", home: home)
                try check(app, of: bytes)
            }
        }
    }
}
