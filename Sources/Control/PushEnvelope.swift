// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// A message in the format of sources: JSON, either an envelope,
/// `{"identifier": ..., "collapse_id": ..., "priority": 5, "expires": "1h", "payload": {...}}`, or the
/// payload alone if the source names the task.
package enum PushEnvelope {
    /// The maximum size, in bytes: a payload of 4 KiB, and room for the rest.
    package static let longest = 16_384

    /// Reads a message that was sent at `sent`.
    /// - Parameter task: The task of a message that does not name one.
    package static func read(
        _ bytes: [UInt8], task: String? = nil, sent: WallTime
    ) throws(PushRefusal) -> PushOffer {
        let object = try object(bytes)
        // A payload has `aps`, an envelope does not.
        guard object["payload"] != nil || object["aps"] == nil else {
            guard let task else { throw .noIdentifier }
            return try offer(object, of: task, bytes: bytes.count)
        }
        let known: Set = ["identifier", "collapse_id", "priority", "expires", "payload"]
        if let key = object.keys.filter({ !known.contains($0) }).min() {
            throw .malformed(
                "\"\(key)\" is not a field; it must be one of \(known.sorted().joined(separator: ", "))"
            )
        }
        guard let payload = object["payload"]?.object else {
            if object["payload"] == nil { throw .payloadEmpty }
            throw .malformed("\"payload\" must be an object")
        }
        guard let identifier = try text("identifier", in: object) ?? task else {
            throw .noIdentifier
        }
        var offer = try offer(payload, of: identifier, bytes: nil)
        offer.collapseID = try text("collapse_id", in: object)
        if let priority = object["priority"] {
            guard let number = priority.integer else {
                throw .malformed("\"priority\" must be a number")
            }
            offer.priority = number
        }
        if let length = try text("expires", in: object) {
            guard let interval = Interval(manifestText: length) else {
                throw .malformed("\"expires\" must be a duration, such as \"1h\"")
            }
            offer.expires = sent.advanced(by: interval)
        }
        return offer
    }

    /// Reads a payload alone.
    /// - Parameter isSilentByDefault: Whether `aps.content-available` defaults to 1.
    package static func payload(
        _ bytes: [UInt8], of identifier: String, isSilentByDefault: Bool = false
    ) throws(PushRefusal) -> PushOffer {
        var payload = try object(bytes)
        if isSilentByDefault, payload["aps"] == nil { payload["aps"] = silent }
        return try offer(payload, of: identifier, bytes: bytes.count)
    }

    private static let silent = JSONValue.object(["content-available": .integer(1)])

    private static func object(_ bytes: [UInt8]) throws(PushRefusal) -> [String: JSONValue] {
        guard bytes.count <= longest else { throw .payloadTooLarge(bytes: bytes.count) }
        guard bytes.contains(where: { !$0.isSpace }) else { throw .payloadEmpty }
        guard let object = JSONValue(bytes)?.object else {
            throw .malformed("it must be a JSON object")
        }
        return object
    }

    private static func text(
        _ key: String, in object: [String: JSONValue]
    ) throws(PushRefusal) -> String? {
        guard let value = object[key] else { return nil }
        guard let text = value.string else { throw .malformed("\"\(key)\" must be text") }
        return text
    }

    private static func offer(
        _ payload: [String: JSONValue], of identifier: String, bytes: Int?
    ) throws(PushRefusal) -> PushOffer {
        guard let text = JSONValue.object(payload).text else {
            throw .malformed("the payload is nested too deeply")
        }
        let aps = payload["aps"]?.object.map { aps in
            PushOffer.APS(
                isContentAvailable: aps["content-available"]?.integer == 1,
                shown: ["alert", "badge", "sound"].filter { aps[$0] != nil })
        }
        return PushOffer(
            identifier: identifier, payload: text, payloadBytes: bytes ?? text.utf8.count,
            aps: aps)
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
