// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLog
import BGRunEventLoop
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import Glibc

/// One app, looked at from outside: everything is read only, and a host is only asked what any command may
/// ask it.
struct CatalogApp: Sendable {
    let state: StateDirectory
    /// Nil if it is unknown.
    var manifest: Manifest?
    /// What is wrong with it.
    var problem: String?
    /// Whether it was named on the command line, so that a missing host is a problem.
    var isNamed = false

    var name: String { state.app }

    /// The time limit of an answer of its host. A page of a dashboard asks the hosts of all apps.
    var answerLimit = Interval.seconds(2)

    /// Of more attempts than that only the newest are counted.
    static let most: Int64 = 100_000

    var now: WallTime { reader == nil ? SimulatedState.now(of: state) : SystemClock().now.wall }

    /// Reads the state of another user; nil if this process may read it directly.
    var reader: AppReader? { AppReader(state) }

    /// Where its time has come to, of an app that was simulated; milliseconds since 1970.
    var simulatedNow: Int64? {
        reader == nil && SimulatedState.isMarked(state) ? now.milliseconds : nil
    }

    /// A manifest without tasks for an app whose own is not known.
    var knownManifest: Manifest {
        manifest
            ?? Manifest(
                app: name, modes: [], permittedIdentifiers: [], plugins: [], tasks: [],
                device: DeviceState(), policy: .apple, directory: "/", path: "")
    }

    /// The task an identifier belongs to.
    var taskName: @Sendable (String) -> String {
        guard let manifest else { return { $0 } }
        let rule = IdentifierRule(permitting: manifest.tasks.map(\.declaration.identifier))
        return { rule.pattern(for: $0) ?? MetricsTally.other }
    }

    // MARK: now

    /// Asks the host; nil when none runs.
    ///
    /// - Parameters:
    ///   - isChange: Whether the answer waits for the store.
    ///   - awaitsStart: Whether to wait for a host that holds the lock but does not listen yet.
    func ask(
        _ request: ControlRequest, isChange: Bool = false, awaitsStart: Bool = true
    ) throws -> ControlResponse? {
        guard try state.hasHost else { return nil }
        return try HostAccess.ask(request, state, within: answerLimit, isChange: isChange) {
            guard let error = $0 as? SystemFailure else { throw $0 }
            return awaitsStart && [ENOENT, ECONNREFUSED].contains(error.code)
        }
    }

    /// How it stands, from its host or its store. `isNotAnswering`: the problem is a host that does not
    /// answer.
    func overview() -> (overview: AppOverview, problem: String?, isNotAnswering: Bool) {
        do {
            if let reader {
                let answer = try reader.ask(.overview)
                let overview = answer.overview ?? AppOverview(app: name, at: now.milliseconds)
                return (overview, answer.problem, answer.isNotAnswering ?? false)
            }
            if let overview = try ask(ControlRequest(.watch))?.overview {
                return (overview, problem, false)
            }
            return (try stored(), problem, false)
        } catch let failure as HostNotAnswering {
            let overview = (try? stored()) ?? AppOverview(app: name, at: now.milliseconds)
            return (overview, failure.message, true)
        } catch {
            return (AppOverview(app: name, at: now.milliseconds), Self.message(error), false)
        }
    }

    /// What to do about an error, as commands say it.
    static func message(_ error: any Error) -> String {
        switch error {
        case let error as AppReader.Failure: error.message
        case let error as HostNotAnswering: error.message
        default:
            failureMessage(error) ?? "it cannot be told; bgrun says why on standard error"
        }
    }

    // MARK: before

    /// What its tasks, or one identifier, did since then, or since the newest attempts began.
    func report(since: WallTime, of identifier: String? = nil) -> SpanReport {
        let now = now
        if let reader {
            return (try? reader.ask(.report(since: since.milliseconds)))?.report
                ?? ReportBuilder(app: name, since: since, until: now, subjects: []).report()
        }
        let begin = max(since, firstCounted ?? since)
        let maker = AppReport(manifest: knownManifest, state: state, since: begin, until: now)
        return (try? maker.make(identifier.map { [$0] } ?? []))
            ?? ReportBuilder(app: name, since: begin, until: now, subjects: []).report()
    }

    /// When the first attempt ended that is counted.
    private var firstCounted: WallTime? {
        guard let store = try? state.storeToRead(), let newest = try? store.newestAttempt(),
            newest > Self.most
        else { return nil }
        // fits: it is larger
        return (try? store.ended(after: newest - Self.most, limit: 1))?.first?.ended
    }

    /// What its requests have waited for, the newest last.
    func waits(of identifier: String) -> [ExplanationView.Wait] {
        let history = WaitHistory(
            of: identifier, in: state.journalImages, limit: 10,
            isHostRunning: (try? state.hasHost) ?? false,
            stored: state.storedWait(of: identifier, at: now))
        return history.stretches.map(ExplanationView.Wait.init)
    }
}
