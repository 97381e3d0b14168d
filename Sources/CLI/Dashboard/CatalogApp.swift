// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLog
import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import Glibc

/// One app, seen from outside: reads only, and sends its host only requests that any command may send.
struct CatalogApp: Sendable {
    let state: StateDirectory
    /// Nil: unknown.
    var manifest: Manifest?
    /// The problem of the manifest.
    var problem: String?
    /// Whether the command line names it, so that a missing host is a problem.
    var isNamed = false

    var name: String { state.app }

    /// The time limit of its host's answer. A page of a dashboard asks the hosts of all apps.
    var answerLimit = Interval.seconds(2)

    /// The maximum number of attempts that are counted, the newest ones.
    static let most: Int64 = 100_000

    var now: WallTime { reader == nil ? SimulatedState.now(of: state) : SystemClock().now.wall }

    /// Reads the state of another user; nil if this process may read it directly.
    var reader: AppReader? { AppReader(state) }

    /// The time that a simulated app has reached.
    var simulatedNow: WallTime? {
        reader == nil && SimulatedState.isMarked(state) ? now : nil
    }

    /// A manifest without tasks for an app whose manifest is unknown.
    var knownManifest: Manifest { manifest ?? Manifest(ofUnknown: name) }

    /// The task of an identifier.
    var taskName: @Sendable (String) -> String {
        guard let manifest else { return { $0 } }
        let rule = IdentifierRule(permitting: manifest.tasks.map(\.declaration.identifier))
        return { rule.pattern(for: $0) ?? MetricsTally.other }
    }

    // MARK: present

    /// Asks the host; nil without a host.
    ///
    /// - Parameters:
    ///   - isChange: Whether the answer waits for the store.
    ///   - awaitsStart: Whether to wait for a host that holds the lock but does not listen yet.
    func ask(
        _ request: ControlRequest, isChange: Bool = false, awaitsStart: Bool = true
    ) throws -> ControlResponse? {
        guard try state.hasHost else { return nil }
        return try HostAccess.ask(request, state, within: answerLimit, isChange: isChange) {
            if $0 is ControlClient.TooManyConnections { return awaitsStart }
            guard let error = $0 as? SystemFailure else { throw $0 }
            return awaitsStart && [ENOENT, ECONNREFUSED].contains(error.code)
        }
    }

    /// Its current state, from its host or its store. `isNotAnswering`: the problem is a host that does
    /// not answer.
    func overview() -> (overview: AppOverview, problem: String?, isNotAnswering: Bool) {
        do {
            if let reader {
                let answer = try reader.ask(.overview)
                let overview = answer.overview ?? AppOverview(app: name, at: now)
                return (overview, answer.problem, answer.isNotAnswering ?? false)
            }
            if let overview = try ask(ControlRequest(.watch))?.overview {
                return (overview, problem, false)
            }
            return (try stored(), problem, false)
        } catch let failure as HostNotAnswering {
            let overview = (try? stored()) ?? AppOverview(app: name, at: now)
            return (overview, failure.message, true)
        } catch {
            return (AppOverview(app: name, at: now), Self.message(error), false)
        }
    }

    /// The remedy for an error, with the text that commands print.
    static func message(_ error: any Error) -> String {
        switch error {
        case let error as AppReader.Failure: error.message
        case let error as HostNotAnswering: error.message
        default:
            failureMessage(error) ?? "it cannot be told; bgrun says why on standard error"
        }
    }

    // MARK: past

    /// The activity of its tasks, or of one identifier, since `since`, or since the oldest counted
    /// attempt.
    func report(since: WallTime, of identifier: String? = nil) -> SpanReport {
        let now = now
        if let reader {
            return (try? reader.ask(.report(since: since)))?.report
                ?? ReportBuilder(app: name, since: since, until: now, subjects: []).report()
        }
        let begin = max(since, firstCounted ?? since)
        let maker = AppReport(manifest: knownManifest, state: state, since: begin, until: now)
        return (try? maker.make(identifier.map { [$0] } ?? []))
            ?? ReportBuilder(app: name, since: begin, until: now, subjects: []).report()
    }

    /// The end of the first counted attempt.
    private var firstCounted: WallTime? {
        guard let store = try? state.storeToRead(), let newest = try? store.newestAttempt(),
            newest > Self.most
        else { return nil }
        // fits: it is larger
        return (try? store.ended(after: newest - Self.most, limit: 1))?.first?.ended
    }

    /// The waits of its requests, the newest last.
    func waits(of identifier: String) -> [Explanation.Wait] {
        WaitHistory(
            of: identifier, in: state.journalImages, limit: 10,
            isHostRunning: (try? state.hasHost) ?? false,
            stored: state.storedWait(of: identifier, at: now)
        ).stretches
    }
}
