// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
import FoundationEssentials

/// What became of a message, as a line of JSON: `{"id":7,"identifier":"...","request":12,"held":1}` or
/// `{"reason":"BadPriority","message":"..."}`.
public struct PushAnswer: Codable, Hashable, Sendable {
    public var id: Int64?
    public var identifier: String?
    /// The request it has made.
    public var request: Int64?
    /// Messages that are held for the task now.
    public var held: Int?
    /// APNs' word for why it is refused.
    public var reason: String?
    public var message: String?
    /// Whether the same message may be taken later; left out when it may not.
    public var retry: Bool?

    public init(_ result: Result<PushReceipt, PushRefusal>) {
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

    /// Without a line break.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
