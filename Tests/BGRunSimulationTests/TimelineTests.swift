// SPDX-License-Identifier: Apache-2.0

import BGRunDashboard
import BGRunPolicy
import BGRunSimulation
import Foundation
import FoundationXML
import Testing

@Suite("Timelines", .timeLimit(.minutes(10)))
struct TimelineTests {
    private static func story() throws -> SimulationResult {
        try Sample.run(
            Sample.task("clean", "kind: processing, requires: {power: external}"),
            """
            name: <b>"Power" & more</b>
            duration: 1h
            device: {power: [{at: 10m, for: 5m}, {at: 30m, for: 20m}]}
            events: [{at: 20m, app: open}]
            handlers: {com.app.clean: {takes: 8m, checkpoint: when-told}}
            """)
    }

    @Test("the terminal shows the device above and a row per task, in columns of equal time")
    func terminal() throws {
        let lines = try Self.story().timeline(width: 77, hasColor: false)
            .split(separator: "\n").map(String.init)
        // 16 columns of names, then 60 columns of one minute each.
        #expect(
            lines.dropFirst().first
                == "external power  " + String(repeating: " ", count: 10) + "█████"
                + String(repeating: " ", count: 15) + String(repeating: "█", count: 20))
        #expect(
            lines.first { $0.hasPrefix("com.app.clean") }
                == "com.app.clean   " + String(repeating: "░", count: 10) + "!!!!!!"
                + String(repeating: "░", count: 14) + "▀▀▀")
    }

    @Test("no row is wider than the terminal", arguments: [40, 80, 200])
    func width(_ width: Int) throws {
        let timeline = try Sample.shipped("commuter-phone").timeline(width: width, hasColor: false)
        for line in timeline.split(separator: "\n") {
            #expect(line.count <= width, "\(line)")
        }
    }

    @Test("the page is well-formed, loads nothing from other sites, and escapes text")
    func page() throws {
        let page = try Self.story().page
        for elsewhere in ["http:", "https:", "src=", "href=", "@import", "url("] {
            #expect(!page.contains(elsewhere), "\(elsewhere)")
        }
        #expect(page.contains("<h1>&lt;b&gt;&quot;Power&quot; &amp; more&lt;/b&gt;</h1>"))
        let drawing = try Drawing(page)
        let expected: Set = [
            "rect waits|waits: power: external|Mon 2 08:00:00 to 08:10:00, 10m",
            "rect expired|attempt 1 expired: power-lost|Mon 2 08:10:00 to 08:15:01, 5m1s",
            "rect waits|waits: power: external|Mon 2 08:15:01 to 08:30:00, 14m59s",
            "rect completed|attempt 2 completed|Mon 2 08:30:00 to 08:33:00, 3m",
            "rect power|power: external|Mon 2 08:10:00 to 08:15:00, 5m",
            "rect power|power: external|Mon 2 08:30:00 to 08:50:00, 20m",
            "rect event|app opened|Mon 2 08:20:00",
        ]
        #expect(drawing.tips == expected)
        #expect(
            drawing.cells == [
                "com.app.clean", "2", "48", "1", "0", "1", "10m", "14m 59s", "14m 59s",
                "power: external24m 59s",
            ])
    }

    @Test("the page shows every reading, suspension and event of the scenario")
    func facts() throws {
        let result = try Sample.run(
            Sample.task("clean", "kind: processing, submit: manual, earliest: 30m"),
            """
            duration: 1h
            device:
              battery: {start: 50%}
              network: [{at: 1m, for: 1m}, {at: 2m, for: 1m, is: metered}]
              idle: [{at: 3m, for: 1m}]
              thermal: [{at: 4m, for: 1m, is: fair}, {at: 5m, for: 1m, is: critical}]
              low_power_mode: [{at: 6m, for: 1m}]
              pressure: [{at: 7m, for: 1m}]
              storage: [{at: 8m, for: 1m}]
              memory: [{at: 9m, for: 1m}]
              gpu: [{at: 10m, for: 1m}]
            suspend: [{at: 11m, for: 1m}]
            events:
              [{at: 20m, submit: com.app.clean}, {at: 21m, app: force-quit}, {at: 22m, clock: {forward: 5s}}]
            """)
        let page = result.page
        let tips = try Drawing(page).tips
        for tip in [
            "rect battery|battery: 49%|Mon 2 08:00:00 to ",
            "rect early|its earliest date has not come|",
            "rect unmetered|network: unmetered|Mon 2 08:01:00 to 08:02:00, 1m",
            "rect metered|network: metered|Mon 2 08:02", "rect idle|idle: yes|Mon 2 08:03",
            "rect alert|thermal: fair|Mon 2 08:04", "rect alert|thermal: critical|Mon 2 08:05",
            "rect alert|low-power-mode: on|Mon 2 08:06", "rect alert|pressure: high|Mon 2 08:07",
            "rect alert|storage: low|Mon 2 08:08", "rect alert|memory: low|Mon 2 08:09",
            "rect idle|gpu: yes|Mon 2 08:10:00 to 08:11:00, 1m",
            "rect suspended|suspended: yes|Mon 2 08:11:00 to 08:12:00, 1m",
            "rect quit|app force-quit|Mon 2 08:21:00", "rect event|clock set by 5 s|Mon 2 08:22:00",
        ] {
            #expect(tips.contains { $0.hasPrefix(tip) }, "\(tip)")
        }
        // Each mark goes through the row of every task.
        #expect(page.contains("<line class=\"quit\" x1=\"35.000%\""))
        #expect(page.contains("<p class=\"soft\">1h from 2026-03-02 08:00 UTC, seed 1; drawn"))
    }

    private final class Drawing: NSObject, XMLParserDelegate {
        /// `rect STYLE|LINE|LINE` of every titled shape.
        var tips: Set<String> = []
        var cells: [String] = []
        private var shape = ""
        private var text = ""

        init(_ page: String) throws {
            super.init()
            let start = try #require(page.range(of: "<main>"))
            let end = try #require(page.range(of: "</main>"))
            let parser = XMLParser(data: Data(page[start.lowerBound..<end.upperBound].utf8))
            parser.delegate = self
            #expect(parser.parse())
        }

        func parser(
            _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
            qualifiedName qName: String?, attributes attributeDict: [String: String]
        ) {
            if elementName == "rect" { shape = "rect " + (attributeDict["class"] ?? "") }
            if ["title", "td"].contains(elementName) { text = "" }
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

        func parser(
            _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
            qualifiedName qName: String?
        ) {
            if elementName == "title" { tips.insert(shape + "|" + text.replacing("\n", with: "|")) }
            if elementName == "td" { cells.append(text) }
        }
    }
}
