// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import FoundationEssentials

/// The result of a message, as a line of JSON: `{"id":7,"identifier":"...","request":12,"held":1}` or
/// `{"reason":"BadPriority","message":"..."}`.
package struct PushAnswer: Codable, Equatable, Sendable {
    package var id: Int64?
    var identifier: String?
    /// The request that the message created.
    package var request: Int64?
    /// The number of messages held for the task now.
    package var held: Int?
    /// APNs' name for the reason for the refusal.
    package var reason: String?
    package var message: String?
    /// Whether the same message may succeed later; omitted if false.
    package var retry: Bool?

    package init(_ result: Result<PushReceipt, PushRefusal>) {
        switch result {
        case .success(let receipt):
            id = receipt.id
            identifier = receipt.identifier
            request = receipt.request.id
            held = receipt.held
        case .failure(let refusal):
            reason = refusal.reason
            message = refusal.message
            if refusal.isPassing { retry = true }
        }
    }
}

extension Encodable {
    /// Its JSON on one line, with sorted keys. Encoding values of ours never fails.
    package var sortedJSON: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
