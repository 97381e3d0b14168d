// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunDashboard
import BGRunDevice
import BGRunHTTP
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSystem

/// Answers the requests of browsers and programs. Called on many threads.
final class Dashboard: Sendable {
    let catalog: AppCatalog
    let gate: HTTPGate
    let metrics = MetricsSource()
    private let reports = SlowValues<SpanReport>()
    private let timelines = SlowValues<Timeline>()
    private let waits = SlowValues<[Explanation.Wait]>()

    init(catalog: AppCatalog, gate: HTTPGate) {
        self.catalog = catalog
        self.gate = gate
    }

    func respond(_ request: HTTPRequest) -> HTTPResponse {
        let frame = frame(for: request)
        do {
            try gate.admit(request)
            return try route(request, frame)
        } catch let refusal as HTTPRefusal {
            guard request.wantsPage else { return HTTPResponse(refusal) }
            if refusal.status == 401 { return loginPage(frame, request, status: 401) }
            let title = refusal.status == 404 ? "Not found" : "Refused"
            return page(
                frame.problem(refusal.status, title, refusal.reason), status: refusal.status)
        } catch {
            let text = CatalogApp.message(error)
            guard request.wantsPage else {
                return HTTPResponse(503, type: "text/plain", text + "\n")
            }
            return page(frame.problem(503, "Not now", text), status: 503)
        }
    }

    // MARK: routes

    private func route(_ request: HTTPRequest, _ frame: PageFrame) throws -> HTTPResponse {
        if request.method == "POST" { return try change(request, frame) }
        let path = request.path
        if let page = try foreignPage(request) { return page }
        switch (path.first, path.count) {
        case (nil, 0): return page(frame.overview(try summaries()))
        case ("device", 1): return page(frame.device(try device()))
        case ("assets", 2):
            guard let file = Assets.file(path[1]) else { throw HTTPRefusal(404, "file not found") }
            return HTTPResponse(type: file.type, file.text)
        case ("login", 1) where gate.hasToken:
            return loginPage(frame, request, status: 200)
        case ("metrics", 1):
            let apps = try catalog.apps().map { metrics.metrics($0).metrics }
            return HTTPResponse(
                type: MetricsText.contentType, MetricsText(apps, version: Version.text).text)
        case ("healthz", 1): return try health()
        case ("api", _): return try api(Array(path.dropFirst()), request)
        case ("apps", 2):
            let app = try app(path[1])
            let span = request.query["span"].flatMap(PageSpan.init(rawValue:)) ?? .day
            let (report, timeline) = (report(app, span), timeline(app, span))
            return page(frame.at(app.simulatedNow).app(app.name, span, report, timeline))
        case ("apps", 4) where path[2] == "tasks":
            return try taskPage(try app(path[1]), path[3], frame)
        case ("apps", 4) where path[2] == "attempts":
            guard let number = Int64(path[3]) else { throw HTTPRefusal(404, "no such attempt") }
            let app = try app(path[1])
            guard let detail = try AttemptReader(app: app, number: number).read() else {
                throw HTTPRefusal(404, "\(app.name) has no attempt \(number), or has removed it")
            }
            return page(frame.attempt(detail))
        default: throw HTTPRefusal(404, "page not found")
        }
    }

    /// A page about one attempt or task of another user's app, rendered by a process with that
    /// user's rights.
    private func foreignPage(_ request: HTTPRequest) throws -> HTTPResponse? {
        let path = request.path
        let name = path.first == "apps" && path.count == 4 ? path[1] : nil
        let apiName = path.first == "api" && path.count >= 4 && path[1] == "apps" ? path[2] : nil
        guard let name = name ?? apiName, let reader = try app(name).reader else { return nil }
        let page = try reader.ask(
            .page(path: path, query: request.query, accept: request.headers["accept"])
        ).page
        guard let page, (200...599).contains(page.status) else {
            throw HTTPRefusal(503, "\(name) cannot be read")
        }
        return HTTPResponse(page.status, type: page.type, page.body)
    }

    func app(_ name: String) throws -> CatalogApp {
        guard let app = try catalog.apps().first(where: { $0.name == name }) else {
            throw HTTPRefusal(404, "unknown app \(name)")
        }
        return app
    }

    private func frame(for request: HTTPRequest) -> PageFrame {
        let isTrusted = request.cookie(HTTPGate.cookie) != nil && gate.isTrusted(request)
        return PageFrame(
            dates: Dates(now: SystemClock().now.wall, offset: LocalZone.offset),
            formSecret: isTrusted ? gate.formSecret : nil, canLogIn: gate.hasToken,
            version: Version.text)
    }

    private func page(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status, type: "text/html; charset=utf-8", text)
    }

    // MARK: pages

    private func summaries() throws -> [AppSummary] {
        let problems = (catalog.problems() + catalog.setAside()).map { problem in
            AppSummary(overview: AppOverview(app: "(bad manifest)", at: .epoch), problem: problem)
        }
        return try catalog.apps().map { app in
            let found = app.overview()
            return AppSummary(
                overview: found.overview, problem: found.problem, report: report(app, .week),
                timeline: timeline(app, .day), now: app.simulatedNow)
        } + problems
    }

    /// The activity of the tasks of an app, or of the one that `identifier` names. An identifier of a wildcard
    /// has a separate report.
    func report(_ app: CatalogApp, _ span: PageSpan, of identifier: String? = nil) -> SpanReport? {
        let isTask = { app.knownManifest.tasks.map(\.declaration.identifier).contains($0) }
        let own = identifier.flatMap { isTask($0) || app.manifest == nil ? nil : $0 }
        let name = "\(span.rawValue) \(app.state.path)" + (own.map { " " + $0 } ?? "")
        return reports.value(name) {
            // fits: at most the longest span of a page
            app.report(since: app.now.advanced(by: .milliseconds(-span.length)), of: own)
        }
    }

    private func timeline(_ app: CatalogApp, _ span: PageSpan) -> Timeline? {
        timelines.value("\(span.rawValue) \(app.state.path)") {
            let now = app.now
            // fits: at most the longest span of a page
            let since = now.advanced(by: .milliseconds(-span.length))
            guard let reader = app.reader else {
                return TimelineMaker(app: app, since: since, until: now).make()
            }
            return (try? reader.ask(.timeline(since: since, until: now)))?.timeline
                ?? Timeline(since: since, until: now)
        }
    }

    private func taskPage(
        _ app: CatalogApp, _ identifier: String, _ frame: PageFrame
    ) throws -> HTTPResponse {
        let rows = try attempts(of: identifier, app)
        let isWildcard =
            identifier.hasSuffix(".*")
            && app.knownManifest.tasks.contains { $0.declaration.identifier == identifier }
        var explanation: ExplanationView?
        var problem: String?
        if isWildcard {
            problem = "a wildcard: each identifier it handles has a page of its own"
        } else {
            do {
                explanation = try self.explanation(app, identifier)
            } catch let refusal as HTTPRefusal {
                problem = refusal.reason
            }
        }
        guard explanation != nil || !rows.isEmpty || isWildcard else {
            throw HTTPRefusal(404, problem ?? "no task of \(app.name) is called that")
        }
        let waits = waits.value("\(app.state.path) \(identifier)") {
            app.waits(of: identifier)
        }
        let report = report(app, .week, of: identifier)
        var detail = TaskDetail(
            app: app.name, identifier: identifier, explanation: explanation, problem: problem,
            waits: waits, report: report?.tasks.first { $0.identifier == identifier },
            attention: (report?.attention ?? []).filter { $0.identifier == identifier },
            attempts: rows.map { Run($0) },
            messages: Dictionary(
                rows.compactMap { row in row.message.map { (row.attempt, $0) } },
                uniquingKeysWith: { first, _ in first }))
        detail.description =
            explanation?.description ?? app.knownManifest.task(for: identifier)?.description
        return page(frame.at(app.simulatedNow).task(detail))
    }

    /// The newest attempts of a task; for a wildcard, its attempts among the newest of all.
    private func attempts(of task: String, _ app: CatalogApp) throws -> [HistoryRow] {
        guard let store = try app.state.storeToRead() else { return [] }
        guard task.hasSuffix(".*") else { return try store.history(identifier: task, limit: 200) }
        let rows = try store.history(limit: 2_000)
        return Array(rows.filter { app.taskName($0.identifier) == task }.prefix(200))
    }

    /// The current decision about a task, without history.
    func explanation(_ app: CatalogApp, _ identifier: String) throws -> ExplanationView? {
        if let answer = try app.ask(ControlRequest(.explain, identifier: identifier)) {
            if let problem = answer.problem { throw HTTPRefusal(404, problem.message) }
            return answer.explanation
        }
        guard let manifest = app.manifest else {
            throw HTTPRefusal(
                404, "no host runs; start the dashboard with its manifest to see what it waits for")
        }
        let rule = IdentifierRule(permitting: manifest.tasks.map(\.declaration.identifier))
        guard rule.permits(identifier), !identifier.hasSuffix(".*") else { return nil }
        return try AppExplanation(manifest: manifest, state: app.state, identifier: identifier)
            .now(history: 0)
    }

    func device() throws -> [DeviceReport.Row] {
        let base = try StateDirectory.base(nil, StatePlaces.environment, Rights.startedAs)
        return try DeviceSnapshot.take(stateDirectory: base).rows
    }

    private func loginPage(
        _ frame: PageFrame, _ request: HTTPRequest, status: Int
    ) -> HTTPResponse {
        let address = "/" + request.path.map(PercentCoding.encoded).joined(separator: "/")
        let target = request.path.first == "login" ? "/" : address
        return page(frame.login(isWrong: false, target: target), status: status)
    }

    // MARK: changes

    private func change(_ request: HTTPRequest, _ frame: PageFrame) throws -> HTTPResponse {
        switch request.path {
        case ["login"]: return login(request, frame)
        case ["logout"]:
            try gate.admitChange(request)
            var response = HTTPResponse(seeOther: "/")
            response.headers.append(
                ("Set-Cookie", "\(HTTPGate.cookie)=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"))
            return response
        default:
            try gate.admitChange(request)
            guard request.path.count == 5, request.path[0] == "apps", request.path[2] == "tasks"
            else { throw HTTPRefusal(404, "unknown action") }
            return try act(
                request.path[4], on: request.path[3], of: try app(request.path[1]), request)
        }
    }

    private func login(_ request: HTTPRequest, _ frame: PageFrame) -> HTTPResponse {
        guard gate.isToken(request.form["token"] ?? "") else {
            return page(frame.login(isWrong: true, target: "/"), status: 401)
        }
        let target = request.form["target"] ?? "/"
        // "//example.org" would lead elsewhere.
        let isOwn = target.hasPrefix("/") && !target.hasPrefix("//") && !target.contains("\\")
        var response = HTTPResponse(seeOther: isOwn ? target : "/")
        let cookie = "\(HTTPGate.cookie)=\(gate.session); Path=/; HttpOnly; SameSite=Strict"
        response.headers.append(("Set-Cookie", cookie))
        return response
    }

    private func act(
        _ action: String, on identifier: String, of app: CatalogApp, _ request: HTTPRequest
    ) throws -> HTTPResponse {
        let commands: [String: ControlRequest.Command] = [
            "trigger": .trigger, "expire": .expire, "cancel": .cancel, "submit": .submit,
        ]
        guard let command = commands[action] else {
            throw HTTPRefusal(404, "unknown action \(action)")
        }
        let order = ControlRequest(command, identifier: identifier)
        guard let answer = try app.ask(order, isChange: true) else {
            throw HTTPRefusal(409, "no host of \(app.name) runs")
        }
        if let problem = answer.problem { throw HTTPRefusal(409, problem.message) }
        guard request.wantsPage else {
            return HTTPResponse(type: "application/json", try JSONOutput.line(answer) + "\n")
        }
        return HTTPResponse(seeOther: Place.task(app.name, identifier))
    }
}
