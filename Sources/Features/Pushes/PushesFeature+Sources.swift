// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSupervisor

/// The sources that a host uses.
struct PushSourcesInUse {
    var inbox: Inbox?
    var socket: PushSocket?
    var webhook: Webhook?
    var mqtt: MQTTBridge?
    /// The state of each source, by name.
    var states: [String: PushSourceState] = [:]
}

extension PushesFeature {
    /// Uses exactly the sources of the manifest. Logs a source that does not work; the others continue.
    func useSources(of manifest: Manifest) {
        // Old sources first release their addresses.
        let old = sources?.states ?? [:]
        sources = nil
        guard isListening, let wanted = manifest.push else { return }
        let stays = host.ending != .afterOneRound
        sources = PushSourcesInUse()
        let sink = PushSink(
            loop: host.loop, app: manifest.app,
            now: { [unowned self] in host.clock.now.wall },
            deliver: { [unowned self] offer, source, answer in take(offer, source, answer) },
            say: { [unowned self] in note($0, before: old) },
            isConfined: { [unowned self] in host.supervisor.isConfined($0) })
        if let inbox = wanted.inbox {
            begin(sink, "inbox", inbox.path) { () throws(SystemFailure) in
                let source = try Inbox(
                    sink, path: inbox.path, task: inbox.task,
                    memory: host.stateDirectory.map { $0 + "/inbox-taken" })
                sources?.inbox = source
            }
        }
        if let socket = wanted.socket, stays {
            begin(sink, "socket", socket.path) { () throws(SystemFailure) in
                let source = try PushSocket(sink, path: socket.path, task: socket.task)
                sources?.socket = source
            }
        }
        if let webhook = wanted.webhook, stays {
            begin(sink, "webhook", "\(webhook.host):\(webhook.port)") {
                () throws(PushSourceFailure) in
                let source = try Webhook(
                    sink, webhook,
                    executable: HostPrograms.path("bgrun-gateway", beside: workerExecutable),
                    started: { [unowned self] in host.supervisor.addHelper($0) })
                sources?.webhook = source
            }
        }
        if let mqtt = wanted.mqtt, stays {
            begin(sink, "mqtt", mqtt.broker) { () throws(SystemFailure) in
                let bridge = try MQTTBridge(
                    sink, mqtt,
                    executable: HostPrograms.path("bgrun-mqtt", beside: workerExecutable),
                    spool: host.stateDirectory.map { $0 + "/mqtt" },
                    started: { [unowned self] in host.supervisor.addHelper($0) })
                sources?.mqtt = bridge
            }
        }
    }

    private func begin<Failure: Error>(
        _ sink: PushSink, _ source: String, _ place: String, _ start: () throws(Failure) -> Void
    ) {
        do throws(Failure) {
            try start()
        } catch {
            let reason = (error as? PushSourceFailure)?.reason ?? "\(error)"
            sink.say(
                PushSourceState(source: source, place: place, problem: reason, since: sink.now()))
        }
    }

    private func take(
        _ offer: Result<PushOffer, PushRefusal>, _ source: String,
        _ answer: @escaping PushAnswerer
    ) {
        switch offer {
        case .success(let offer): push(offer, from: source, answer)
        case .failure(let refusal): refuse(refusal, "", from: source, answer)
        }
    }

    /// The state of a source changed.
    private func note(_ state: PushSourceState, before: [String: PushSourceState]) {
        let last = sources?.states[state.source] ?? before[state.source]
        sources?.states[state.source] = state
        host.noteChange()
        guard last?.problem != state.problem || last?.place != state.place else { return }
        let place = "the \(state.source) \(state.place)"
        if let problem = state.problem {
            record("push-source", "", "No push comes from \(place): \(problem)", .error)
        } else {
            record("push-source", "", "Pushes come from \(place)")
        }
    }

    /// The states of its sources, sorted by name.
    var sourceStates: [PushSourceState] {
        (sources?.states.values).map { $0.sorted { $0.source < $1.source } } ?? []
    }
}
