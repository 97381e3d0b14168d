// SPDX-License-Identifier: Apache-2.0

import BGRunHTTP

/// The addresses of pages.
public enum Place {
    public static let overview = "/"
    public static let device = "/device"

    public static func app(_ app: String) -> String { "/apps/" + PercentCoding.encoded(app) }

    public static func task(_ app: String, _ identifier: String) -> String {
        self.app(app) + "/tasks/" + PercentCoding.encoded(identifier)
    }

    public static func attempt(_ app: String, _ number: Int64) -> String {
        "\(self.app(app))/attempts/\(number)"
    }
}
