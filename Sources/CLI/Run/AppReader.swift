// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunEventLoop
import BGRunHTTP
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import CBGRunShims
import FoundationEssentials
import Glibc

/// Reads the state of another user in a process with only that user's rights. Root opens none of
/// its files: a damaged or malicious file costs one answer.
struct AppReader {
    let state: StateDirectory
    private let owner: (user: uid_t, group: gid_t)

    /// Nil when this process may read the state itself.
    init?(_ state: StateDirectory) {
        guard let owner = state.foreignOwner else { return nil }
        self.state = state
        self.owner = owner
    }

    enum Question: Codable {
        case overview
        case metrics
        case report(since: WallTime)
        case timeline(since: WallTime, until: WallTime)
        /// A page, or an API response, about this app only.
        case page(path: [String], query: [String: String], accept: String?)
    }

    struct Answer: Codable {
        var overview: AppOverview?
        var problem: String?
        /// Whether the problem is a host that does not answer.
        var isNotAnswering: Bool?
        /// Whether the problem is in the manifest, which does not affect the running host.
        var isOfManifest: Bool?
        /// The damaged rows that were skipped.
        var damage: String?
        var report: SpanReport?
        var timeline: Timeline?
        var metrics: AppMetrics?
        var page: Page?

        struct Page: Codable {
            var status: Int
            var type: String
            var body: String
        }

        /// The same with numbers limited to ranges that are safe for arithmetic.
        fileprivate var clamped: Answer {
            var copy = self
            copy.overview = overview?.clamped
            copy.report = report?.clamped
            copy.timeline = timeline?.clamped
            copy.metrics = metrics?.clamped
            return copy
        }
    }

    /// The message for the user.
    struct Failure: Error {
        var message: String
    }

    /// The time limit of an answer in nanoseconds, and its maximum size in bytes.
    private static let timeout: Int64 = 20_000_000_000
    private static let longest = 32 << 20
    /// The time limit for the end of a killed process, in milliseconds.
    private static let reaping: Int32 = 2_000

    func ask(_ question: Question) throws -> Answer {
        let data: Data
        do {
            var output = try OutputPipe()
            let process = try output.write { try start(question, output: $0) }
            // Also kills a process that has closed its output and continues.
            defer { process.kill(within: Self.reaping) }
            data = try read(output)
        } catch let error as SystemFailure {
            let reason = String(cString: strerror(error.code))
            throw Failure(message: "no process can be started: \(reason)")
        }
        guard let answer = try? JSONDecoder().decode(Answer.self, text: data) else {
            throw Failure(message: "the state in \(state.path) cannot be read; it may be damaged")
        }
        if let damage = answer.damage { DamageReport.add(damage, of: state.app, in: state.path) }
        return answer.clamped
    }

    private func start(_ question: Question, output: Int32) throws -> Subprocess {
        let json = String(decoding: try JSONEncoder().encode(question), as: UTF8.self)
        let base = String(state.path.dropLast(state.app.utf8.count + 1))
        let arguments = [
            "read-app", "--state", base, "--app", state.app, "--user", "\(owner.user)",
            "--group", "\(owner.group)", "--question", json,
        ]
        let kept = CStrings.environment.filter { line in
            ["LANG=", "LC_", "TZ=", "BGRUN_", "PATH="].contains { line.hasPrefix($0) }
        }
        return try Subprocess(
            "/proc/self/exe", name: "bgrun", arguments, environment: kept, output: output,
            error: nil)
    }

    private func read(_ output: borrowing OutputPipe) throws -> Data {
        let deadline = bgrun_monotonic_ns() + Self.timeout
        var data = Data()
        while data.count <= Self.longest {
            guard output.wait(until: deadline) else {
                throw Failure(message: "reading the state in \(state.path) took too long")
            }
            let chunk = output.next()
            guard !chunk.isEmpty else { return data }
            data += chunk
        }
        throw Failure(message: "the state in \(state.path) gives too long an answer")
    }
}

/// The command of that process.
struct ReadAppCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read-app", abstract: "Read an app's state as its user.",
        shouldDisplay: false)

    @Option var state: String
    @Option var app: String
    @Option var user: UInt32
    @Option var group: UInt32
    @Option var question: String

    func run() throws {
        bgrun_signal_on_parent_death(SIGKILL)
        if geteuid() != user {
            try StateDirectory(of: app, in: state).makeReachable(to: (user, group))
        }
        Rights.limitResources()
        guard geteuid() == user || Rights.become(user, group) else { throw Exit.refused }
        let question = try JSONDecoder().decode(AppReader.Question.self, text: question.utf8)
        let catalog = AppCatalog(manifests: [], names: [app], state: state)
        guard let found = try catalog.apps().first else { throw Exit.noInput }
        var answer = try answer(question, found, catalog)
        answer.damage = DamageReport.summary
        let data = try JSONEncoder().encode(answer)
        guard writeAll(data, to: STDOUT_FILENO) else { throw Exit.ioError }
    }

    private func answer(
        _ question: AppReader.Question, _ app: CatalogApp, _ catalog: AppCatalog
    ) throws -> AppReader.Answer {
        var answer = AppReader.Answer()
        switch question {
        case .overview:
            (answer.overview, answer.problem, answer.isNotAnswering) = app.overview()
            answer.isOfManifest = answer.problem == app.problem
        case .metrics:
            (answer.metrics, answer.problem, answer.isNotAnswering) = MetricsSource().metrics(app)
            // The manifest does not affect the measurements.
            if answer.problem == app.problem { answer.problem = nil }
        case .report(let since): answer.report = app.report(since: since)
        case .timeline(let since, let until):
            answer.timeline = TimelineMaker(app: app, since: since, until: until).make()
        case .page(let path, let query, let accept):
            // Without a token the page contains no forms.
            let gate = HTTPGate(
                hosts: nil, token: nil, isTokenForAll: false, session: "", formSecret: "")
            let response = Dashboard(catalog: catalog, gate: gate).respond(
                HTTPRequest(
                    path: path, query: query,
                    headers: ["host": "localhost", "accept": accept ?? "*/*"]))
            answer.page = AppReader.Answer.Page(
                status: response.status,
                type: response.headers.first { $0.name == "Content-Type" }?.value ?? "text/plain",
                body: String(decoding: response.body, as: UTF8.self))
        }
        return answer
    }
}
