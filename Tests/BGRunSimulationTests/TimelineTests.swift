// SPDX-License-Identifier: Apache-2.0

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
        let start = try #require(page.range(of: "<svg"))
        let end = try #require(page.range(of: "</svg>"))
        let svg = page[start.lowerBound..<end.upperBound]
        let drawing = Drawing()
        let parser = XMLParser(data: Data(svg.utf8))
        parser.delegate = drawing
        #expect(parser.parse())
        #expect(drawing.tips.contains { $0.hasPrefix("waits for power: external") })
        #expect(drawing.tips.contains { $0.hasPrefix("attempt 1 expired: power-lost") })
        #expect(drawing.tips.contains { $0.hasPrefix("attempt 2 completed") })
        #expect(drawing.tips.contains { $0.hasPrefix("app opened") })
    }

    private final class Drawing: NSObject, XMLParserDelegate {
        var tips: [String] = []

        func parser(
            _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
            qualifiedName qName: String?, attributes attributeDict: [String: String]
        ) {
            if let tip = attributeDict["data-tip"] { tips.append(tip) }
        }
    }
}
