// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension DeviceReport {
    /// One reading as a person sees it.
    package struct Row: Hashable, Sendable {
        package var reading: String
        package var value: String
        package var source: String
        package var confidence: Confidence
        package var because: String

        init<Value>(_ reading: String, _ finding: Finding<Value>, _ text: (Value) -> String) {
            self.reading = reading
            value = text(finding.value)
            source = finding.source
            confidence = finding.confidence
            because = finding.because
        }
    }

    /// Every reading, always in this order and with these names.
    package var rows: [Row] {
        [
            Row("power", power) { $0.text(yes: "external", no: "battery") },
            Row("battery", battery) { $0.map { "\($0)%" } ?? "-" },
            Row("low-power-mode", lowPowerMode) { $0.text(yes: "on", no: "off") },
            Row("network", network) { $0.text(yes: "yes", no: "none") },
            Row("metered", metered) { $0.rawValue },
            Row("connectivity", connectivity) { $0.rawValue },
            Row("idle", userIdle) { $0.text(yes: "yes", no: "no") },
            Row("thermal", thermal) { $0.map(\.name) ?? "unknown" },
            Row("pressure", pressure) { $0.text(yes: "high", no: "normal") },
        ] + PlainReading.all.map { Row($0.name, plain[$0], $0.text) }
    }
}

extension Reading {
    fileprivate func text(yes: String, no: String) -> String {
        switch self {
        case .yes: yes
        case .no: no
        case .unknown: "unknown"
        }
    }
}

extension ThermalState {
    fileprivate var name: String {
        switch self {
        case .nominal: "nominal"
        case .fair: "fair"
        case .serious: "serious"
        case .critical: "critical"
        }
    }
}
