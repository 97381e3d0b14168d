// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import FoundationEssentials

/// A message from a host to the transfer service. A lost order does no harm: the wanted state of transfers is in the
/// database, and a new connection begins with the conditions.
package enum ServiceOrder: Equatable, Sendable {
    /// These apply from now on, until the connection ends; the first message of a host.
    case conditions(TransferConditions, TransferPolicy)
    /// The database has changed: read it again.
    case look
    /// End in an orderly way: partial files are synced, progress is stored.
    case stop

    /// The order as one line of JSON, including its line feed.
    package var line: [UInt8] {
        switch self {
        case .conditions(let conditions, let policy):
            JSONLine.encode(
                Wire(
                    order: "conditions", network: conditions.network.rawValue,
                    metered: conditions.metered.rawValue, power: conditions.externalPower.rawValue,
                    forbidden: conditions.isForbidden, policy: policy))
        case .look: JSONLine.encode(Wire(order: "look"))
        case .stop: JSONLine.encode(Wire(order: "stop"))
        }
    }

    /// Nil if the line is not an order of this version.
    package init?(line: ArraySlice<UInt8>) {
        guard let wire = JSONLine.decode(Wire.self, line) else { return nil }
        switch wire.order {
        case "conditions":
            let conditions = TransferConditions(
                network: Self.reading(wire.network), metered: Self.reading(wire.metered),
                externalPower: Self.reading(wire.power), isForbidden: wire.forbidden ?? false)
            self = .conditions(conditions, wire.policy ?? TransferPolicy())
        case "look": self = .look
        case "stop": self = .stop
        default: return nil
        }
    }

    private static func reading(_ value: Int8?) -> Reading {
        value.flatMap(Reading.init(rawValue:)) ?? .unknown
    }

    /// Readings are -1 unknown, 0 no, 1 yes.
    private struct Wire: Codable {
        var order: String
        var network: Int8?
        var metered: Int8?
        var power: Int8?
        var forbidden: Bool?
        var policy: TransferPolicy?
    }
}

enum JSONLine {
    /// Encoding our own values never fails.
    static func encode(_ value: some Encodable) -> [UInt8] {
        let data = (try? JSONEncoder().encode(value)) ?? Data("{}".utf8)
        return [UInt8](data) + [UInt8(ascii: "\n")]
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ line: ArraySlice<UInt8>) -> Value? {
        // JSONDecoder crashes on the bracket of the 513th level at the end of the data unless another byte follows.
        try? JSONDecoder().decode(type, from: Data(line) + [UInt8(ascii: "\n")])
    }
}
