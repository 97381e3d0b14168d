// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation
import FoundationNetworking
import Synchronization

/// Authentication challenges of servers. The transfer has already ended with the server's response:
/// with a credential from the delegate the request is repeated.
extension BackgroundSession {
    enum ChallengeAnswer {
        /// There was no challenge, or the delegate receives the response.
        case none
        case retried
        case cancelled
    }

    /// The number of retries of Apple's sessions with the same rejected credential.
    private static let mostChallenges = 3

    /// Asks the delegate and waits for its decision.
    func answerChallenge(
        of task: URLSessionTask, _ transfer: PluginTransfer, in attempt: PluginTask
    ) -> ChallengeAnswer {
        guard transfer.status == 401, transfer.options.contains(.anyStatus),
            let space = URLProtectionSpace(basic: transfer),
            let delegate = delegate as? any URLSessionTaskDelegate,
            let session = state.withLock(\.session)
        else { return .none }
        let count = task.values.withLock { values in
            defer { values.challenges += 1 }
            return values.challenges
        }
        guard count < Self.mostChallenges else { return .none }
        let challenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: count,
            failureResponse: nil, error: nil, sender: SilentSender())
        let answer = Answer()
        queue.addOperation { [runtime] in
            runtime.withCurrent {
                delegate.urlSession(session, task: task, didReceive: challenge) {
                    answer.give($0, $1)
                }
            }
        }
        let (disposition, credential) = answer.wait()
        switch disposition {
        case .useCredential:
            guard let user = credential?.user, let password = credential?.password else {
                return .none
            }
            let words = Data("\(user):\(password)".utf8).base64EncodedString()
            task.values.withLock { $0.authorization = "Basic \(words)" }
            return again(task, transfer, in: attempt) ? .retried : .none
        case .cancelAuthenticationChallenge: return .cancelled
        default: return .none
        }
    }

    private func again(
        _ task: URLSessionTask, _ transfer: PluginTransfer, in attempt: PluginTask
    ) -> Bool {
        do throws(PluginHostError) {
            let request = task.request(for: self, in: attempt, false)
            let id = try attempt.createTransfer(request)
            task.values.withLock { values in
                values.id = id
                values.told = 0
                values.state = .running
            }
            remember(task, id)
            forget(task, transfer.id)
            // The body of the 401 response is not the download.
            if let file = transfer.file, !transfer.options.contains(.upload) {
                try? FileManager.default.removeItem(atPath: file)
            }
            return true
        } catch {
            attempt.log(.error, error.description)
            return false
        }
    }
}

/// The arguments of the delegate's completion handler, which may be called at any time.
private final class Answer: Sendable {
    private let value = Mutex<(URLSession.AuthChallengeDisposition, URLCredential?)?>(nil)
    private let given = DispatchSemaphore(value: 0)

    func give(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
        value.withLock { $0 = $0 ?? (disposition, credential) }
        given.signal()
    }

    func wait() -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        given.wait()
        return value.withLock { $0 } ?? (.performDefaultHandling, nil)
    }
}

/// Delegates answer with the completion handler; this legacy interface has no effect.
private final class SilentSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}

extension URLProtectionSpace {
    /// Nil if the challenge is not for a name and a password.
    fileprivate convenience init?(basic transfer: PluginTransfer) {
        let headers = transfer.responseHeadersJSON.flatMap {
            try? JSONDecoder().decode([String: String].self, from: Data($0.utf8))
        }
        let fields = Dictionary(
            (headers ?? [:]).map { ($0.key.lowercased(), $0.value) }
        ) { first, _ in first }
        guard let question = fields["www-authenticate"],
            question.lowercased().hasPrefix("basic"), let url = URL(string: transfer.url),
            let host = url.host
        else { return nil }
        let realm = question.components(separatedBy: "realm=\"").dropFirst().first?
            .components(separatedBy: "\"").first
        self.init(
            host: host, port: url.port ?? (url.scheme == "https" ? 443 : 80),
            protocol: url.scheme, realm: realm,
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    }
}
