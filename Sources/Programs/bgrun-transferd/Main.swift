// SPDX-License-Identifier: Apache-2.0

import BGRunTransferService
import Glibc

/// Moves an app's files; see `ServiceMain`.
@main
enum Main {
    static func main() {
        exit(ServiceMain.run(CommandLine.arguments))
    }
}
