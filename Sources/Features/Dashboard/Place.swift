// SPDX-License-Identifier: Apache-2.0

import BGRunHTTP

/// The addresses of pages.
package enum Place {
    static let overview = "/"
    static let device = "/device"

    static func app(_ app: String) -> String { "/apps/" + PercentCoding.encoded(app) }

    package static func task(_ app: String, _ identifier: String) -> String {
        self.app(app) + "/tasks/" + PercentCoding.encoded(identifier)
    }

    static func attempt(_ app: String, _ number: Int64) -> String {
        "\(self.app(app))/attempts/\(number)"
    }
}
