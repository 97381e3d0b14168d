// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunHTTP
import BGRunManifest
import BGRunPolicy
import BGRunSystem
import FoundationEssentials

/// Takes messages over HTTP as Apple's push service does, on this machine only, from clients with the
/// token.
///
/// Belongs to the loop's thread; requests are read on threads of their own.
final class Webhook {
    private let queue: WebhookQueue
    private var server: HTTPServer?
    private let sink: PushSink

    /// - Throws: A reason in words: then no client can connect.
    init(_ sink: PushSink, _ webhook: PushSources.Webhook) throws(PushSourceFailure) {
        self.sink = sink
        let place =
            "\(webhook.host.contains(":") ? "[\(webhook.host)]" : webhook.host):\(webhook.port)"
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
        do throws(SystemFailure) {
            let queue = try WebhookQueue()
            let app = sink.app
            self.queue = queue
            server = try HTTPServer(sink.loop, address) { head in
                // An unauthenticated client: its body is neither read nor recorded.
                APNsRequest.hasToken(head, token) ? nil : Self.response(.failure(.badToken), head)
            } handler: { request in
                Self.respond(to: request, token: token, app: app, queue)
            }
            try sink.loop.watch(queue.descriptor) { [unowned self] _ in takeIn() }
        } catch {
            throw PushSourceFailure(error.description)
        }
        sink.say(
            PushSourceState(source: "webhook", place: place, problem: nil, since: sink.now()))
    }

    deinit {
        sink.loop.forget(queue.descriptor)
        for delivery in queue.take() { delivery.give(.failure(.unavailable)) }
    }

    private func takeIn() {
        for delivery in queue.take() {
            sink.deliver(delivery.message, "the webhook") { delivery.give($0) }
        }
    }

    /// On a thread of its own.
    private static func respond(
        to request: HTTPRequest, token: String, app: String, _ queue: WebhookQueue
    ) -> HTTPResponse {
        let result: Result<PushReceipt, PushRefusal>
        do throws(PushRefusal) {
            let asked = try APNsRequest(request, token: token)
            result = queue.deliver(Result { () throws(PushRefusal) in try asked.offer(app: app) })
        } catch {
            // The client is unknown: nothing of its request is recorded.
            result = .failure(error)
        }
        return response(result, request)
    }

    private static func response(
        _ result: Result<PushReceipt, PushRefusal>, _ request: HTTPRequest
    ) -> HTTPResponse {
        let id = APNsRequest.id(of: request) ?? UUID().uuidString
        var response: HTTPResponse
        switch result {
        case .success:
            response = HTTPResponse(200, type: "application/json", "")
        case .failure(let refusal):
            response = HTTPResponse(
                refusal.status, type: "application/json", "{\"reason\":\"\(refusal.reason)\"}")
        }
        response.headers.append(("apns-id", id))
        return response
    }
}

/// Why a source does not work.
struct PushSourceFailure: Error, Hashable, Sendable {
    var reason: String

    init(_ reason: String) { self.reason = reason }
}
