// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a request tells the task that is launched for it, perhaps in another process: keys of the
/// task's parameters that begin with `bgrun.`.
struct RequestDetails: Hashable {
    var title: String?
    var subtitle: String?
    /// Of a health study's data; nil for any other task.
    var protection: String?
}

extension RequestDetails: Codable {
    private enum CodingKeys: String, CodingKey {
        case title = "bgrun.title"
        case subtitle = "bgrun.subtitle"
        case protection = "bgrun.health-research"
    }

    /// Those of a task's parameters; none when they say something else there.
    init(_ parametersJSON: String) {
        let decoded = try? JSONDecoder().decode(Self.self, from: Data(parametersJSON.utf8))
        self = decoded ?? RequestDetails()
    }

    /// A JSON object; nil when there is nothing to tell.
    var json: String? {
        guard self != RequestDetails(), let data = try? JSONEncoder().encode(self) else {
            return nil
        }
        return String(decoding: data, as: UTF8.self)
    }
}
