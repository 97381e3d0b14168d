// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunHTTP
import BGRunManifest
import BGRunPolicy
import BGRunSystem

/// Accepts messages over HTTP like Apple's push service, only on this machine, from clients with the token. Belongs to
/// the loop's thread.
final class Webhook {
    /// How long a client waits until its message is stored, in nanoseconds. A message that is stored later is still
    /// delivered, and sent once more: at least once.
    private static let timeout: Int64 = 20_000_000_000

    private var gateway: HTTPGateway?
    private let sink: PushSink

    /// - Parameters:
    ///   - executable: `bgrun-gateway`.
    ///   - started: Receives the id of the started process, which only this object starts.
    /// - Throws: The reason why no client can connect, as text.
    init(
        _ sink: PushSink, _ webhook: PushSources.Webhook, executable: String,
        started: @escaping (Int32) -> Void
    ) throws(PushSourceFailure) {
        self.sink = sink
        let place = "\(ListenAddress.written(webhook.host)):\(webhook.port)"
        let file: [UInt8]
        do throws(PrivateFile.Refusal) {
            file = try PrivateFile.bytes(
                of: webhook.token, limit: PushSources.Webhook.largestTokenFile)
        } catch {
            throw PushSourceFailure(error.reason)
        }
        guard let token = PushSources.Webhook.token(in: file) else {
            throw PushSourceFailure(
                "the token in \(webhook.token) has \(PushSources.Webhook.shortage); "
                    + "`openssl rand -hex 32 > \(webhook.token)`")
        }
        guard let address = ListenAddress(place) else {
            throw PushSourceFailure("\(place) is not an address")
        }
        let refusal = PushRefusal.badToken
        var settings = GatewaySettings(
            .bearer(BearerGate(token: token, status: refusal.status, reason: refusal.reason)))
        settings.answerLimit = Self.timeout
        do throws(SystemFailure) {
            gateway = try HTTPGateway(
                sink.loop, address, settings, executable: executable, started: started,
                note: { problem in
                    sink.say(
                        PushSourceState(
                            source: "webhook", place: place, problem: problem, since: sink.now()))
                },
                handler: { [unowned self] in take($0, token, $1) })
        } catch {
            throw PushSourceFailure(error.description)
        }
    }

    private func take(
        _ request: HTTPRequest, _ token: String, _ answer: @escaping HTTPGateway.Answerer
    ) {
        do throws(PushRefusal) {
            let asked = try APNsRequest(request, token: token)
            sink.deliver(
                "the webhook", { () throws(PushRefusal) in try asked.offer(app: sink.app) }
            ) {
                answer(Self.response($0, request))
            }
        } catch {
            // It has a wrong path: nothing is recorded.
            answer(Self.response(.failure(error), request))
        }
    }

    private static func response(
        _ result: Result<PushReceipt, PushRefusal>, _ request: HTTPRequest
    ) -> HTTPResponse {
        switch result {
        case .success: BearerGate.response(200, to: request)
        case .failure(let refusal):
            BearerGate.response(refusal.status, reason: refusal.reason, to: request)
        }
    }
}

/// Why a source does not work.
struct PushSourceFailure: Error, Equatable, Sendable {
    var reason: String

    init(_ reason: String) { self.reason = reason }
}
