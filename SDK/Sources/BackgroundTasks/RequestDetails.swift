// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The data of a request for its launched task, perhaps in another process: keys of the task's
/// parameters that begin with `bgrun.`.
struct RequestDetails: Hashable {
    var title: String?
    var subtitle: String?
    /// The file protection of a health study's data; nil for other tasks.
    var protection: String?
}

extension RequestDetails: Codable {
    private enum CodingKeys: String, CodingKey {
        case title = "bgrun.title"
        case subtitle = "bgrun.subtitle"
        case protection = "bgrun.health-research"
    }

    /// Reads the details from a task's parameters; empty if their values are invalid.
    init(_ parametersJSON: String) {
        let decoded = try? JSONDecoder().decode(Self.self, from: Data(parametersJSON.utf8))
        self = decoded ?? RequestDetails()
    }

    /// A JSON object; nil without details.
    var json: String? {
        guard self != RequestDetails(), let data = try? JSONEncoder().encode(self) else {
            return nil
        }
        return String(decoding: data, as: UTF8.self)
    }
}
