// SPDX-License-Identifier: Apache-2.0

/// A reading of the machine with the reason to believe it.
package struct DeviceFinding: Codable, Hashable, Sendable {
    package var reading: String
    package var value: String
    package var source: String
    /// `measured`, `derived`, `assumed` or `unknown`.
    package var confidence: String
    package var because: String

    package init(
        reading: String, value: String, source: String, confidence: String, because: String
    ) {
        self.reading = reading
        self.value = value
        self.source = source
        self.confidence = confidence
        self.because = because
    }
}

extension PageFrame {
    /// What this machine says about itself.
    package func device(_ findings: [DeviceFinding]) -> String {
        let rows: [[HTML]] = findings.map { finding in
            [
                "<strong>\(finding.reading)</strong>", "\(finding.value)",
                "<span class=\"badge \(finding.confidence)\">\(finding.confidence)</span>",
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
