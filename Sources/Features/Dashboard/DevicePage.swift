// SPDX-License-Identifier: Apache-2.0

import BGRunDevice

extension PageFrame {
    /// The readings of this machine.
    package func device(_ findings: [DeviceReport.Row]) -> String {
        let rows: [[HTML]] = findings.map { finding in
            let confidence = finding.confidence.rawValue
            return [
                "<strong>\(finding.reading)</strong>", "\(finding.value)",
                "<span class=\"badge \(confidence)\">\(confidence)</span>",
                "<code>\(finding.source)</code>", "\(finding.because)",
            ]
        }
        let table = Pieces.table(
            "Readings", ["Reading", "Value", "Confidence", "Source", "Because"], rows)
        return page(
            "Device", place: Place.device,
            """
            <div class="heading"><h1>Device</h1></div>
            <section class="card" data-live id="device"><p class="soft">What this machine says about itself. \
            <code>device:</code> in a manifest states readings in place of these; what is unknown holds back \
            a task that requires it.</p>\(table)</section>
            """)
    }
}
