// SPDX-License-Identifier: Apache-2.0

import BGRunPost

/// Posts what it reads to a web server; see `PostProgram`.
@main
enum Main {
    static func main() { PostProgram.run() }
}
