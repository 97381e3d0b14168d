// SPDX-License-Identifier: Apache-2.0

import BGRunGateway

/// Speaks HTTP for the webhook and the dashboard; see `Gateway`.
@main
enum Main {
    static func main() throws {
        try Gateway.run()
    }
}
