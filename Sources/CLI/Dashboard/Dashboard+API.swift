// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunDashboard
import BGRunHTTP
import BGRunStorage

/// The endpoints for programs.
extension Dashboard {
    /// Whether all expected hosts run.
    private struct Health: Encodable {
        var status: String
        var apps: [App]

        struct App: Encodable {
            var app: String
            var ok: Bool
            var why: String?
            var attention: [Attention]
        }
    }

    /// A missing host counts if its app was named; for other apps, only a host that runs and does not
    /// answer. A host that waits for its store accepts nothing, so it is not ready.
    func health() throws -> HTTPResponse {
        var apps = try catalog.apps().map { app in
            let found = app.overview()
            let isMissing = app.isNamed && found.overview.host == nil
            let why =
                found.problem ?? (isMissing ? "no host runs" : nil)
                ?? found.overview.storeWait(of: app.state.database, \.localTimeOfDay)
            return Health.App(
                app: app.name, ok: why == nil, why: why,
                attention: report(app, .week)?.attention ?? [])
        }
        apps += (catalog.problems() + catalog.setAside()).map {
            Health.App(app: "", ok: false, why: $0, attention: [])
        }
        let isWell = apps.allSatisfy(\.ok)
        return try json(
            Health(status: isWell ? "ok" : "failing", apps: apps), status: isWell ? 200 : 503)
    }

    /// The same values as the JSON output of commands.
    func api(_ path: [String], _ request: HTTPRequest) throws -> HTTPResponse {
        switch (path.first, path.count) {
        case ("apps", 1): return try json(try catalog.apps().map { $0.overview().overview })
        case ("device", 1): return try json(try device())
        case ("apps", 3...4):
            return try api(of: try app(path[1]), Array(path.dropFirst(2)), request)
        default: throw HTTPRefusal(404, "unknown path; see Docs/dashboard.md")
        }
    }

    private func api(
        of app: CatalogApp, _ path: [String], _ request: HTTPRequest
    ) throws -> HTTPResponse {
        switch (path[0], path.count) {
        case ("report", 1):
            let since = request.query["since"] ?? PageSpan.week.rawValue
            guard let span = PageSpan(rawValue: since) else {
                throw HTTPRefusal(400, "since must be 24h, 7d or 30d")
            }
            guard let report = report(app, span) else {
                throw HTTPRefusal(503, "it is being made; ask again")
            }
            return try json(report)
        case ("history", 1):
            guard let limit = Int(request.query["limit"] ?? "50"), (0...1_000).contains(limit)
            else { throw HTTPRefusal(400, "limit must be a whole number from 0 to 1000") }
            let rows =
                try app.state.storeToRead()?.history(
                    identifier: request.query["task"], limit: limit) ?? []
            return try json(rows.map { AttemptRow($0) })
        case ("explain", 2):
            guard let view = try explanation(app, path[1]) else {
                throw HTTPRefusal(404, "no task of \(app.name) is called that")
            }
            return try json(view)
        case ("output", 2):
            guard let number = Int64(path[1]), let store = try app.state.storeToRead(),
                try store.identifier(ofAttempt: number) != nil
            else { throw HTTPRefusal(404, "no such attempt") }
            return try json(try store.output(attempt: number).map { $0.json() })
        default: throw HTTPRefusal(404, "unknown path; see Docs/dashboard.md")
        }
    }

    private func json(_ value: some Encodable, status: Int = 200) throws -> HTTPResponse {
        HTTPResponse(status, type: "application/json", try JSONOutput.text(value) + "\n")
    }
}
