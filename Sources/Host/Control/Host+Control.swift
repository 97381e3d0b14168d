// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunManifest
import BGRunPolicy

extension Host {
    /// Answers one command; a long one only while `isHeard` returns true.
    package func serve(
        _ request: ControlRequest, isHeard: @escaping () -> Bool = { true },
        _ answer: @escaping (ControlResponse) -> Void
    ) {
        if features.contains(where: { $0.answer(request, answer) }) { return }
        guard let command = request.command.ofHost else {
            return answer(
                ControlResponse("this host does not have the feature that answers the command"))
        }
        let identifier = request.identifier ?? ""
        switch command {
        case .submit, .trigger:
            if let problem = request.parameters.flatMap(Parameters.problem) {
                return answer(ControlResponse("the parameters: \(problem)"))
            }
            if let problem = handlerProblem(of: identifier) {
                return answer(ControlResponse(problem: problem.code, problem.message))
            }
            if let problem = engine.problem(with: request.submission) {
                return answer(ControlResponse(problem))
            }
            feed(request, answer)
        case .cancel:
            cancel(identifier, answer)
        case .cancelAll, .cancelAnnotated, .open, .quit, .refresh:
            feed(request, answer)
        case .expire:
            guard let reason = StopReason(name: request.reason ?? StopReason.cancelled.name) else {
                return answer(
                    ControlResponse(
                        "\(request.reason ?? "") is not a reason; it must be one of "
                            + StopReason.allCases.map(\.name).joined(separator: ", ")))
            }
            ask({ .expire(identifier: identifier, reason, ticket: $0) }) { [self] reply in
                guard case .notRunning = reply, engine.declaration(for: identifier) == nil else {
                    return answer(response(to: reply))
                }
                answer(unknown(identifier))
            }
        case .pending:
            answer(pendingResponse(request))
        case .explain:
            let delayed = request.delay.map { now.advanced(by: $0) }
            guard let date = delayed ?? request.at else { return answer(explain(request)) }
            forecast(identifier, to: date, isHeard: isHeard, answer)
        case .watch:
            answer(ControlResponse { $0.overview = overview() })
        case .running:
            var response = ControlResponse()
            response.running = running.map(RunningStatus.init)
            for feature in features { feature.add(to: &response, for: request) }
            answer(response)
        case .manifest:
            var response = ControlResponse()
            response.manifest = ManifestText(
                path: manifest.absolutePath, directory: manifest.directory,
                text: String(decoding: manifest.source, as: UTF8.self))
            answer(response)
        }
    }

    private func feed(_ request: ControlRequest, _ answer: @escaping (ControlResponse) -> Void) {
        guard let event = request.event else {
            return answer(
                ControlResponse(
                    "\(request.refresh ?? "") is not a refresh switch; it must be one of "
                        + RefreshSwitch.allCases.map(\.name).sorted().joined(separator: ", ")))
        }
        ask(event) { [self] in answer(response(to: $0)) }
    }

    /// A user waits for continued work and may cancel it while it runs (Apple).
    private func cancel(_ identifier: String, _ answer: @escaping (ControlResponse) -> Void) {
        ask({ .cancel(identifier: identifier, ticket: $0) }) { [self] reply in
            guard case .cancelled(let count) = reply,
                engine.runningAttempt(identifier)?.request.kind == .continued
            else { return answer(response(to: reply)) }
            ask({ .expire(identifier: identifier, .cancelled, ticket: $0) }) { [self] reply in
                switch reply {
                case .refused: answer(response(to: count > 0 ? .cancelled(count) : reply))
                default: answer(response(to: .cancelled(count + 1)))
                }
            }
        }
    }

    private func unknown(_ identifier: String) -> ControlResponse {
        let nearest = NearMiss.nearest(
            to: identifier, among: manifest.tasks.map(\.declaration.identifier))
        return ControlResponse(
            "no task of the manifest handles \"\(identifier)\""
                + (nearest.map { "; did you mean \"\($0)\"?" } ?? ""))
    }

    private func explain(_ request: ControlRequest) -> ControlResponse {
        let identifier = request.identifier ?? ""
        var response = ControlResponse()
        response.explanation = engine.explain(identifier, at: now)
            .map { ExplanationView($0, now: now) }
        if let since = waitsForStoreSince {
            let waiting = launchesWaitingForStore.first { $0.identifier == identifier }
            response.explanation?.waitForStore(since: since, launching: waiting)
        }
        response.explanation?.description =
            engine.declaration(for: identifier).flatMap { definitions[$0.identifier]?.description }
        for feature in features { feature.add(to: &response, for: request) }
        return response.explanation == nil ? unknown(identifier) : response
    }

    private func forecast(
        _ identifier: String, to date: WallTime, isHeard: @escaping () -> Bool,
        _ answer: @escaping (ControlResponse) -> Void
    ) {
        guard engine.declaration(for: identifier) != nil else { return answer(unknown(identifier)) }
        forecast(to: date, isHeard: isHeard) { [self] forecast in
            guard let forecast else {
                return answer(ControlResponse("too many forecasts are under way; try again later"))
            }
            var response = ControlResponse()
            response.explanation = ExplanationView(forecast, of: identifier)
            answer(response.explanation == nil ? unknown(identifier) : response)
        }
    }

    private func pendingResponse(_ request: ControlRequest) -> ControlResponse {
        let limit = min(max(0, request.limit ?? .max), ControlRequest.mostRows)
        var response = ControlResponse()
        func isMeant(_ pending: TaskRequest) -> Bool {
            request.annotation.map(pending.annotations.has) ?? true
        }
        let launches = launchesWaitingForStore.filter(isMeant).map {
            PendingRow($0, reason: AppOverview.Pending.busyStore)
        }
        response.count = [engine.pendingCount, launches.count].saturatingSum
        guard let start = request.from else {
            let others = engine.pendingRequests(first: limit).map(pendingRow)
            response.pending = Array((launches + others).prefix(limit))
            return response
        }
        let page = engine.pendingPage(from: start, limit: limit)
        response.next = page.next
        response.numbering = engine.pendingNumbering
        response.pending = page.requests.filter { isMeant($0.request) }.map { order, request in
            var row = pendingRow(request)
            row.order = order
            return row
        }
        // Without an order they come first.
        if start == 0 { response.pending?.insert(contentsOf: launches, at: 0) }
        return response
    }

    /// The row of a request; if only the busy store delays its launch, the row says so.
    private func pendingRow(_ request: TaskRequest) -> PendingRow {
        guard waitsForStoreSince != nil,
            engine.pendingReason(request.identifier, at: now) == .eligible
        else { return PendingRow(request, in: engine, now: now) }
        return PendingRow(request, reason: AppOverview.Pending.busyStore)
    }

    private func response(to reply: Reply) -> ControlResponse {
        ControlResponse(reply, of: engine, at: now)
    }
}

extension RunningStatus {
    fileprivate init(_ view: RunningView) {
        self.init(view.attempt)
        title = view.title
        subtitle = view.subtitle
        completed = view.completed
        total = view.total
        expiring = view.expiring?.name
    }
}
