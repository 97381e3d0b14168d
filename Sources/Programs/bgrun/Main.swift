// SPDX-License-Identifier: Apache-2.0

import BGRunCLI

@main
enum Main {
    static func main() { CommandLineProgram.run() }
}
