// SPDX-License-Identifier: Apache-2.0

import BGRunPost

/// Posts its input to a web server; see `PostProgram`.
@main
enum Main {
    static func main() { PostProgram.run() }
}
